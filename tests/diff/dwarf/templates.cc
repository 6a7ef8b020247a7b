// Templates, lambdas, local classes, anonymous name spaces: deep inline chains at -O3.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace outer {
namespace {
template <int N> struct Fib {
	static long run(long x) { return Fib<N - 1>::run(x) + Fib<N - 2>::run(x ^ N); }
};
template <> struct Fib<0> {
	static long run(long x) { return x; }
};
template <> struct Fib<1> {
	static long run(long x) { return x * 3; }
};
static inline int helper(int a) { return a * 7 + 1; }
} // namespace

template <class T> class Tree {
	struct Node {
		T value;
		std::unique_ptr<Node> left, right;
		explicit Node(T v) : value(std::move(v)) {}
	};
	std::unique_ptr<Node> root;
	template <class F> static void walk(const Node *n, F &f)
	{
		if (!n)
			return;
		walk(n->left.get(), f);
		f(n->value);
		walk(n->right.get(), f);
	}

public:
	void add(T v)
	{
		auto *p = &root;
		while (*p)
			p = v < (*p)->value ? &(*p)->left : &(*p)->right;
		*p = std::make_unique<Node>(std::move(v));
	}
	template <class F> void each(F f) const { walk(root.get(), f); }
};

using Value = std::variant<int, std::string, std::vector<int>>;
struct Visit {
	size_t operator()(int i) const { return std::to_string(helper(i)).size(); }
	size_t operator()(const std::string &s) const { return (s + s).size(); }
	size_t operator()(const std::vector<int> &v) const
	{
		return (size_t)std::accumulate(v.begin(), v.end(), 0);
	}
};
} // namespace outer

int main(int argc, char **argv)
{
	using namespace outer;
	std::map<std::string, std::vector<int>> map;
	Tree<std::string> texts;
	Tree<double> numbers;
	for (int i = 0; i < 1000 * argc; i++) {
		map[std::to_string(i % 37)].push_back(i);
		texts.add(std::to_string(i * 7919 % 1009));
		numbers.add(i * 1.5);
	}
	size_t total = 0;
	texts.each([&](const std::string &s) { total += s.size(); });
	numbers.each([&](double d) { total += (size_t)d; });
	std::vector<Value> values{1, std::string(argv[0]), std::vector<int>{1, 2, 3}};
	for (auto &v : values)
		total += std::visit(Visit{}, v);
	std::vector<std::pair<std::string, std::vector<int>>> pairs(map.begin(), map.end());
	std::sort(pairs.begin(), pairs.end(),
		  [](auto &a, auto &b) { return a.second.size() < b.second.size(); });
	std::stable_sort(pairs.begin(), pairs.end(),
			 [](auto &a, auto &b) { return a.first.size() < b.first.size(); });
	struct Local {
		static int twice(int x) { return x * 2; }
	};
	return (int)(total + (size_t)Fib<12>::run(argc) + (size_t)Local::twice(argc)) & 1;
}
