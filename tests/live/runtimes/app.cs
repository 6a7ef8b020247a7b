// Spends a second in Inner(), called by Middle(), called by Outer().
using System;

class App {
	static int Inner(int n)
	{
		int s = 0;
		for (int i = 0; i < n; i++)
			s = (s * 31 + i) % 1000003;
		return s;
	}

	static int Middle(int n)
	{
		return Inner(n) + Inner(n + 1);
	}

	static int Outer(int n)
	{
		int t = 0;
		for (int i = 0; i < 50; i++)
			t += Middle(n);
		return t;
	}

	static void Main()
	{
		int x = 0;
		for (var end = DateTime.Now.AddSeconds(1); DateTime.Now < end;)
			x += Outer(20000);
		Console.WriteLine(x);
	}
}
