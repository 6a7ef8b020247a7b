/** Spends some time in inner(), called by middle(), called by outer(). */
public class App {
	static int inner(int n) {
		int s = 0;
		for (int i = 0; i < n; i++)
			s = (s * 31 + i) % 1000003;
		return s;
	}

	static int middle(int n) {
		return inner(n) + inner(n + 1);
	}

	static int outer(int n) {
		int t = 0;
		for (int i = 0; i < 50; i++)
			t += middle(n);
		return t;
	}

	public static void main(String[] args) {
		int x = 0;
		for (long end = System.currentTimeMillis() + 1500; System.currentTimeMillis() < end;)
			x += outer(20000);
		System.out.println(x);
	}
}
