package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"
)

const (
	barHeight = 18
	nameWidth = 470
	barWidth  = 360
	plotWidth = nameWidth + barWidth + 190
)

const plotStyle = `<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .met { fill: #2da44e } .missed { fill: #cf7a1b } .grid { stroke: #8c959f; stroke-opacity: .35 } .target { stroke: #24292f; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .target { stroke: #e6edf3 } }
</style>
`

// plot shows every goal against a peer: a bar for the ratio, on a logarithmic scale, and a line where the target is.
func (r report) plot() []byte {
	var shown []result
	most := 1.0
	for _, result := range r.results {
		if result.isJudged && result.goal.better != within {
			shown = append(shown, result)
			most = max(most, result.ratio, result.goal.ratio)
		}
	}
	decades := math.Ceil(math.Log10(most))
	x := func(ratio float64) float64 { // 0.1× at the left
		return nameWidth + barWidth*(max(math.Log10(ratio), -1)+1)/(decades+1)
	}
	height := barHeight*(len(shown)+2) + 12
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="How many times better than client-go, and the target">`+"\n%s", plotWidth, height, plotStyle)
	for decade := -1.0; decade <= decades; decade++ {
		at := x(math.Pow(10, decade))
		fmt.Fprintf(&out, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="14" text-anchor="middle">%g×</text>`+"\n",
			at, at, barHeight, height, at, math.Pow(10, decade))
	}
	for n, result := range shown {
		result.bar(&out, barHeight*(n+1)+6, x)
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

func (r result) bar(out *bytes.Buffer, y int, x func(float64) float64) {
	class := "missed"
	if r.met {
		class = "met"
	}
	from, to := min(x(1), x(r.ratio)), max(x(1), x(r.ratio))
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="end">%s</text>`, nameWidth-8, y+12, html.EscapeString(r.name()+encodingOf(r.goal.against)))
	fmt.Fprintf(out, `<rect class="%s" x="%.1f" y="%d" width="%.1f" height="%d" rx="2"/>`, class, from, y+2, max(to-from, 1), barHeight-5)
	fmt.Fprintf(out, `<line class="target" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, x(r.goal.ratio), x(r.goal.ratio), y, y+barHeight-1)
	fmt.Fprintf(out, `<text x="%d" y="%d">%s× of %g×</text>`+"\n", nameWidth+barWidth+12, y+12, number(r.ratio), r.goal.ratio)
}

// encodingOf names the encoding where a peer has more than one.
func encodingOf(against string) string {
	if _, encoding, has := strings.Cut(against, ", "); has {
		return ", against " + encoding
	}
	return ""
}
