// Closures, interfaces, maps: what Go inlines across packages.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ a float64 }

func (s square) area() float64 { return s.a * s.a }

func leaf(x int) int { return x*x + 1 }

func middle(x int) int {
	sum := 0
	for i := 0; i < x; i++ {
		sum += leaf(i)
	}
	return sum
}

func main() {
	counts := map[string]int{}
	for i := 0; i < 1000*len(os.Args); i++ {
		counts[strings.Repeat("x", i%17)] += middle(i)
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return counts[keys[i]] < counts[keys[j]] })
	var s shape = square{3}
	fmt.Println(len(keys), s.area())
}
