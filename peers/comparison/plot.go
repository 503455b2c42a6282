package main

// Draws results.svg, the plot of the benchmark comparison: each goal's ratio and target on a logarithmic scale.

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// Sizes in the plot, in pixels.
const (
	lineHeight = 20
	headHeight = 64
	nameWidth  = 500
	scaleWidth = 350
	plotWidth  = nameWidth + scaleWidth + 130
	// least is the ratio at the left edge; smaller ratios are drawn there, too.
	least = 0.1
)

// plotStyle sets colours for light and dark pages, with a background of its own.
const plotStyle = `<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .page { fill: #ffffff } .band { fill: #f6f8fa } .grid { stroke: #d1d9e0 } .one { stroke: #818b98 } .target { stroke: #1f2328; stroke-width: 2 }
  .met { fill: #1a7f37; stroke: #1a7f37; stroke-width: 2 } .missed { fill: none; stroke: #bc4c00; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc }
    .page { fill: #0d1117 } .band { fill: #151b23 } .grid { stroke: #3d444d } .one { stroke: #9198a1 } .target { stroke: #f0f6fc }
    .met { fill: #3fb950; stroke: #3fb950 } .missed { stroke: #f0883e }
  }
</style>
`

// plot draws every goal against a peer: how many times better the project is, with a tick at the target.
func (r report) plot() []byte {
	var shown []result
	most := 1.0
	for _, result := range r.results {
		// A goal without an opponent has an absolute value in place of a ratio.
		if result.isJudged && result.goal.against != "" && result.goal.better != within {
			shown = append(shown, result)
			most = max(most, result.ratio, result.goal.ratio)
		}
	}
	scale := scale{decades: max(1, math.Ceil(math.Log10(most)))}
	height := headHeight + lineHeight*len(shown) + 12
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="How many times better than the peer, and the target, for each work">`+"\n%s"+
		`<rect class="page" width="%d" height="%d" rx="8"/>`+"\n", plotWidth, height, plotStyle, plotWidth, height)
	legend(&out)
	bands(&out, shown)
	scale.axis(&out, height-12)
	for n, result := range shown {
		result.draw(&out, headHeight+lineHeight*n, scale)
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// scale is a logarithmic scale from the least ratio to this many decades above one.
type scale struct{ decades float64 }

func (s scale) x(ratio float64) float64 {
	above := math.Log10(max(ratio, least) / least)
	return nameWidth + scaleWidth*above/(s.decades-math.Log10(least))
}

func (s scale) axis(out *bytes.Buffer, bottom int) {
	for ratio := least; ratio <= math.Pow(10, s.decades)*1.01; ratio *= 10 {
		class := "grid"
		if math.Abs(ratio-1) < 0.01 {
			class = "one"
		}
		fmt.Fprintf(out, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s×</text>`+"\n",
			class, s.x(ratio), s.x(ratio), headHeight-6, bottom, s.x(ratio), headHeight-12, power(ratio))
	}
}

// power formats a power of ten for the axis.
func power(ratio float64) string {
	if ratio < 1 {
		return fmt.Sprintf("%.4g", ratio)
	}
	return thousands(ratio)
}

func legend(out *bytes.Buffer) {
	const y = 22
	fmt.Fprintf(out, `<text x="12" y="%d">How many times better than the peer, at the same work in the same run:</text>`+"\n", y)
	mark(out, nameWidth, y-4, true)
	fmt.Fprintf(out, `<text x="%d" y="%d">target met</text>`+"\n", nameWidth+12, y)
	mark(out, nameWidth+110, y-4, false)
	fmt.Fprintf(out, `<text x="%d" y="%d">missed</text>`+"\n", nameWidth+122, y)
	fmt.Fprintf(out, `<line class="target" x1="%d" x2="%d" y1="%d" y2="%d"/><text x="%d" y="%d">target</text>`+"\n", nameWidth+200, nameWidth+200, y-12, y+4, nameWidth+210, y)
}

// bands shades every other group of rows with the same number.
func bands(out *bytes.Buffer, shown []result) {
	dark, before := false, 0
	for n, result := range shown {
		if number := result.number(); number != before {
			dark, before = !dark, number
		}
		if dark {
			fmt.Fprintf(out, `<rect class="band" y="%d" width="%d" height="%d"/>`+"\n", headHeight+lineHeight*n, plotWidth, lineHeight)
		}
	}
}

func (r result) draw(out *bytes.Buffer, y int, scale scale) {
	middle := y + lineHeight/2
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="end">%s</text>`, nameWidth-10, middle+4, html.EscapeString(r.name()))
	fmt.Fprintf(out, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, r.verdict(), scale.x(1), scale.x(r.ratio), middle, middle)
	fmt.Fprintf(out, `<line class="target" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, scale.x(r.goal.ratio), scale.x(r.goal.ratio), y+2, y+lineHeight-2)
	mark(out, scale.x(r.ratio), middle, r.met)
	fmt.Fprintf(out, `<text x="%d" y="%d">%s× of %g×</text>`+"\n", nameWidth+scaleWidth+16, middle+4, number(r.ratio), r.goal.ratio)
}

// mark draws a full circle for a goal that is met, and an empty diamond for one that is missed, so that the plot is
// readable without colours.
func mark[X int | float64](out *bytes.Buffer, x X, y int, met bool) {
	if met {
		fmt.Fprintf(out, `<circle class="met" cx="%.1f" cy="%d" r="4"/>`, float64(x), y)
		return
	}
	fmt.Fprintf(out, `<path class="missed" d="M%.1f %dl5 5l-5 5l-5 -5z"/>`, float64(x), y-5)
}
