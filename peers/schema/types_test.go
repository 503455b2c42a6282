package main

// Types with rules, for the tests. The name of the file begins as those of upstream's types, so that `read` finds them.

type ruled struct {
	// +k8s:alpha(since: "1.36")=+k8s:immutable
	// +k8s:minimum=1
	// +k8s:required
	Number int32 `json:"number"`
	// +k8s:optional
	Plain string `json:"plain,omitempty"`
	// +k8s:alpha(since: "1.36")=+k8s:maximum=9
	Later int32 `json:"later"`
	// +k8s:ifEnabled(HPAScaleToZero)=+k8s:minimum=0
	// +k8s:ifDisabled(HPAScaleToZero)=+k8s:minimum=1
	Gated int32 `json:"gated"`
}

type unruled struct {
	Number int32 `json:"number"`
}

// A walk that begins at ring asks cycle and then again ring for rules, before it comes to those of ring.
type ring struct {
	Cycle *cycle  `json:"cycle"`
	Ruled []ruled `json:"ruled"`
}

type cycle struct {
	Ring    *ring   `json:"ring"`
	Unruled unruled `json:"unruled"`
	// +k8s:opaqueType
	Opaque ruled `json:"opaque"`
}

type embedding struct {
	ruled `json:",inline" protobuf:"bytes,1,opt,name=ruled"`
}

type mapping struct {
	Map map[string]ruled `json:"map"`
}

type lists struct {
	// +k8s:listType=set
	// +k8s:maxItems=3
	Set []string `json:"set"`
	// +k8s:listType=atomic
	// +k8s:unique=map
	// +k8s:listMapKey=name
	// +k8s:listMapKey=kind
	Map []ruled `json:"map"`
	// +k8s:listType=map
	// +k8s:listMapKey=number
	// +k8s:customUnique
	Custom []unruled `json:"custom"`
	// +k8s:listType=atomic
	Atomic []string `json:"atomic"`
}

// +k8s:enum
type color string

const (
	red  color = "red"
	blue color = "blue"
)

type enumerated struct {
	Color   color  `json:"color"`
	Pointer *color `json:"pointer"`
	// +k8s:opaqueType
	Opaque color `json:"opaque"`
}

type colors struct {
	Colors []color `json:"colors"`
}

type colored struct {
	Colored map[color]string `json:"colored"`
}

// +k8s:format=k8s-short-name
type short string

type named struct {
	Short short `json:"short"`
}

// +k8s:maxItems=3
type several []string

type limited struct {
	Several several `json:"several"`
}

type unknown struct {
	// +k8s:unheardOf
	Number int32 `json:"number"`
}
