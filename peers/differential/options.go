package main

// Changes the query parameters of requests: write options, selectors, pages, resourceVersions, watch options and
// options of deletions.

import (
	"net/url"
	"strings"
)

// addQuery sets the parameters of one of the queries, chosen at random.
func addQuery(g *generator, made *draft, queries ...string) {
	values, err := url.ParseQuery(pick(g, queries))
	if err != nil {
		panic(err) // the queries are constants of this package
	}
	for name, value := range values {
		made.query[name] = value
	}
}

func oddWriteOptions(g *generator, _ kind, made *draft) {
	long := strings.Repeat("m", 129)
	addQuery(g, made,
		"dryRun=All", "dryRun=All", "dryRun=all", "dryRun=", "dryRun=All&dryRun=All", "dryRun=All&dryRun=Some", "dryRun=x",
		"fieldManager=me", "fieldManager="+long, "fieldManager=a%07b", "fieldManager=", "fieldManager=%C3%A4", "fieldManager="+long+"%07&dryRun=x&fieldValidation=y",
		"fieldValidation=Strict", "fieldValidation=Warn", "fieldValidation=Ignore", "fieldValidation=strict", "fieldValidation=", "fieldValidation=Strict&fieldValidation=Ignore",
		"unknown=1", "force=true", "force=x", "force=false", "pretty=true", "pretty=0", "timeoutSeconds=5", "resourceVersion=1", "kind=Pod&apiVersion=v9", "dryRun=All&fieldValidation=Strict",
		"timeout=20s", "dryRun=x&fieldManager="+long)
	if g.sometimes(3) { // a field for fieldValidation to find
		if body, ok := made.body.(object); ok {
			body["unknown"] = 1
		}
	}
}

func oddUnknown(g *generator, _ kind, made *draft) {
	addQuery(g, made, "unknown=1", "export=true", "pretty=true", "pretty=x", "pretty=0", "pretty=", "dryRun=All", "limit=x", "fieldManager=x", "watch=x", "timeout=1s", "timeout=x")
}

func oddSelectors(g *generator, kind kind, made *draft) {
	if len(kind.selectable) > 0 && !g.sometimes(3) {
		made.query.Set("fieldSelector", pick(g, kind.selectable)+pick(g, []string{"=", "==", "!="})+pick(g, []string{"a", "1", "true", "", "aa"}))
		return
	}
	addQuery(g, made,
		"labelSelector=app%3Dx", "labelSelector=app%3D%3Dx", "labelSelector=app!%3Dx", "labelSelector=app", "labelSelector=!app", "labelSelector=app in (x,y)",
		"labelSelector=app notin (x)", "labelSelector=app in", "labelSelector=app%3D%3D%3D", "labelSelector=bad key%3Dv", "labelSelector=app%3Dbad value",
		"labelSelector=,", "labelSelector=app%3Dx,", "labelSelector=tier>1", "labelSelector=tier>x", "labelSelector=app%3Dx,tier%3Dz", "labelSelector=%28", "labelSelector=app in ()",
		"fieldSelector=metadata.name%3Da", "fieldSelector=metadata.namespace%3D<<ns:>>", "fieldSelector=metadata.namespace%3Dother",
		"fieldSelector=status.phase%3DRunning", "fieldSelector=nosuch%3Dx", "fieldSelector=metadata.name", "fieldSelector=,", "fieldSelector=a>b",
		"fieldSelector=metadata.name%3Da,metadata.name%3Db", "fieldSelector=metadata.name%3Da&labelSelector=app%3Dx", "fieldSelector=reason%3DTested",
		"fieldSelector=metadata.name%3Da%5C", "labelSelector="+strings.Repeat("k", 64), "fieldSelector=spec.type%3DExternalName")
}

func oddPages(g *generator, _ kind, made *draft) {
	addQuery(g, made, "limit=1", "limit=1", "limit=2", "limit=0", "limit=-1", "limit=x", "limit=", "limit=1&continue=<<continue:>>", "continue=<<continue:>>", "limit=1.5",
		"continue=nosense", "limit=2&continue=<<continue:>>&resourceVersion=1", "limit=1&resourceVersion=0", "limit=99999999999999999999", "limit=1&continue=<<continue:>>&labelSelector=app")
}

// chain makes a list that continues where the last list ended.
func chain(g *generator, kind kind) *draft {
	made := newDraft("GET", kind.path())
	made.query.Set("limit", pick(g, []string{"1", "1", "2", "3"}))
	if !g.sometimes(4) {
		made.query.Set("continue", "<<continue:>>")
	}
	ownObjects(kind, made)
	return made
}

func oddVersions(g *generator, kind kind, made *draft) {
	at := []string{"0", "<<listrv:>>", "<<rv:" + kind.first() + ">>", "<<oldrv:" + kind.first() + ">>", "", "abc", "-1"}
	made.query.Set("resourceVersion", pick(g, at))
	if g.sometimes(2) {
		made.query.Set("resourceVersionMatch", pick(g, []string{"Exact", "NotOlderThan", "exact", "Unset", ""}))
	}
	if g.sometimes(4) {
		made.query.Set("limit", "1")
	}
	if g.sometimes(8) {
		made.query.Del("resourceVersion")
	}
}

func oddStreaming(g *generator, _ kind, made *draft) {
	addQuery(g, made, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
		"sendInitialEvents=true", "sendInitialEvents=false&resourceVersionMatch=NotOlderThan", "sendInitialEvents=x", "resourceVersionMatch=Exact", "allowWatchBookmarks=true",
		"sendInitialEvents=true&resourceVersionMatch=Exact&allowWatchBookmarks=true", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0",
		"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=<<listrv:>>", "sendInitialEvents=false",
		"sendInitialEvents=&resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=x", "resourceVersionMatch=", "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x", "limit=5", "continue=x", "timeoutSeconds=x", "resourceVersion=abc", "watch=x",
		"timeoutSeconds=-1", "timeoutSeconds=-9223372036", "timeoutSeconds=9223372037", "timeoutSeconds=99999999999999999999", "timeout=1s", "timeout=x")
}

// oddDeletion sets options of a deletion, in the query or in the body.
func oddDeletion(g *generator, kind kind, made *draft) {
	key := kind.plural + "/" + g.name(kind)
	if g.sometimes(4) {
		addQuery(g, made, "gracePeriodSeconds=0", "gracePeriodSeconds=5", "gracePeriodSeconds=-1", "gracePeriodSeconds=x", "propagationPolicy=Orphan", "propagationPolicy=Foreground",
			"propagationPolicy=Background", "propagationPolicy=orphan", "orphanDependents=true", "orphanDependents=true&propagationPolicy=Orphan", "dryRun=All", "dryRun=x",
			"unknown=1", "orphanDependents=x", "uid=x", "uid=<<uid:"+key+">>", "resourceVersion=<<rv:"+key+">>", "resourceVersion=<<oldrv:"+key+">>&uid=x", "uid=", "ignoreStoreReadErrorWithClusterBreakingPotential=true")
		if g.sometimes(2) {
			return
		}
	}
	made.header["Content-Type"] = "application/json"
	made.body = pick(g, []any{
		object{"gracePeriodSeconds": 0}, object{"gracePeriodSeconds": 5}, object{"gracePeriodSeconds": -1}, object{"gracePeriodSeconds": "5"}, object{"gracePeriodSeconds": 1.5},
		object{"propagationPolicy": "Orphan"}, object{"propagationPolicy": "Foreground"}, object{"propagationPolicy": "Background"}, object{"propagationPolicy": "orphan"},
		object{"propagationPolicy": ""}, object{"propagationPolicy": 5}, object{"orphanDependents": true}, object{"orphanDependents": false},
		object{"orphanDependents": true, "propagationPolicy": "Orphan"}, object{"dryRun": []any{"All"}}, object{"dryRun": []any{"x"}}, object{"dryRun": []any{"All", "All"}}, object{"dryRun": "All"},
		object{"preconditions": object{"uid": "<<uid:" + key + ">>"}}, object{"preconditions": object{"uid": someUID}}, object{"preconditions": object{"resourceVersion": "<<rv:" + key + ">>"}},
		object{"preconditions": object{"resourceVersion": "<<oldrv:" + key + ">>"}}, object{"preconditions": object{"resourceVersion": ""}}, object{"preconditions": object{"uid": ""}},
		object{"preconditions": object{"uid": "<<uid:" + key + ">>", "resourceVersion": "1"}}, object{"unknown": 1}, object{"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0},
		object{"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1"}, object{"kind": "DeleteOptions", "apiVersion": "v9"}, object{"kind": "Pod", "apiVersion": "v1"}, object{"kind": "Nosuch"},
		object{"kind": "DeleteOptions", "apiVersion": "apps/v1"}, object{"preconditions": nil}, object{"preconditions": "x"}, object{"propagationPolicy": "x", "orphanDependents": true, "dryRun": []any{"x"}},
		object{"ignoreStoreReadErrorWithClusterBreakingPotential": true}, object{"ignoreStoreReadErrorWithClusterBreakingPotential": true, "gracePeriodSeconds": 0, "propagationPolicy": "Orphan"},
		object{"apiVersion": "v1"}, object{"kind": "DeleteOptions"},
	})
	if g.sometimes(6) {
		oddBody(g, kind, made)
	}
}
