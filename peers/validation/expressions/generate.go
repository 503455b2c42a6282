package main

// Generates random CEL expressions.

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// generator makes random expressions. Most pass the type checker. Their arguments are values that the functions accept,
// and values that they only just refuse.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 0))}
}

func (g *generator) pick(from []string) string { return from[g.IntN(len(from))] }

// values are expressions of each type: literals, and fields of the object.
var values = map[string][]string{
	"int":  {"0", "1", "-1", "2", "3", "7", "-5", "1000000007", "9223372036854775807", "-9223372036854775808", "object.a", "object.list[1]", "size(object.text)"},
	"uint": {"0u", "1u", "3u", "18446744073709551615u", "uint(object.a)"},
	"double": {"0.0", "1.5", "-2.5", "1e10", "1.5e10", "1e21", "1e-7", "123456789.125", "9.5e18", "2e19", "double('NaN')", "double('Infinity')",
		"object.f", "-0.0"},
	"bool":         {"true", "false", "object.yes", "object.a == 1"},
	"string":       {"''", "'a'", "'abc'", "'ABC def'", "'äöü'", "'a,b,,c'", "' a b\\n'", "object.text", "object.names[0]", "'tacocat'", "'\\\"\\t\\'\\\\'"},
	"number":       {"'1'", "'-1'", "'+7'", "'1.5'", "'abc'", "''", "' 1'", "'1e3'", "'0x10'", "'9223372036854775808'", "'1_000'", "'Inf'", "'NaN'", "'-0'", "'true'", "'T'", "'TRUE'", "'yes'"},
	"duration":     {"duration('1s')", "duration('1h30m')", "duration('-1.5s')", "duration('100ms')", "duration('0s')", "duration('2540400h')"},
	"durationText": {"'1s'", "'1.5h'", "'x'", "''", "'1'", "'0'", "'-1h2m3.5s'", "'1us'", "'1ns'", "'1d'", "'9999999h'", "'.5s'", "'1.s'", "'+5m'"},
	"timestamp": {"timestamp('2024-02-29T12:34:56.789Z')", "timestamp('1969-12-31T23:59:59Z')", "timestamp('2001-02-03T04:05:06+07:00')", "timestamp('0001-01-01T00:00:00Z')",
		"timestamp('9999-12-31T23:59:59Z')", "timestamp(1700000000)"},
	"timestampText": {"'2024-02-29T12:34:56Z'", "'2023-02-29T12:34:56Z'", "'2024-02-29'", "'x'", "''", "'2024-02-29T12:34:56'", "'2024-02-29t12:34:56z'", "'2024-02-29T24:00:00Z'",
		"'0000-01-01T00:00:00Z'", "'2024-02-29T12:34:56.123456789+05:30'", "'2024-2-29T12:34:56Z'", "'2024-02-29T12:34:56,5Z'"},
	"zone":         {"'UTC'", "'America/New_York'", "'-05:30'", "'+02:00'", "'02:00'", "'Nope/Zone'", "''", "'5'", "'25:00'", "'a:b'"},
	"bytes":        {"b''", "b'abc'", "b'\\xff'", "bytes('ä')"},
	"pattern":      {"'a'", "'^a.c$'", "'[a-z]+'", "''", "'(a|b)*'", "'\\\\d'", "'('", "'['", "'a{2,1}'", "'(?P<n>x'", "'*'", "'a**'", "'\\\\'", "'[z-a]'", "'(?i)ABC'", "'\\\\pX'", "'a{1001}'", "')'", "'(?<n>a)'", "'(?=a)'"},
	"quantity":     {"quantity('1')", "quantity('1.5Gi')", "quantity('100m')", "quantity('-2k')", "quantity('1e3')", "quantity('0')", "quantity('12345678901234567890')"},
	"quantityText": {"'1'", "'1k'", "'1.5Gi'", "'x'", "''", "'1x'", "'1e3'", "'-1m'", "'1 k'", "'+5'", "'.5'", "'1.'", "'0.1234567891n'", "'1KiB'"},
	"url":          {"url('https://user@example.com:8080/a%20b/c?d=e&d=f&g#h')", "url('http://[::1]:80/')", "url('/path?x=%41')", "url('https://example.com')"},
	"urlText":      {"'https://a.b/c?d'", "'a.b'", "''", "'://x'", "'http://a b/'", "'/p'", "'http://[::1/'", "'http://a:b/'", "'http://a/%zz'", "'mailto:a@b'", "'http://a/\\n'", "'*'", "'1http://a'"},
	"ip":           {"ip('1.2.3.4')", "ip('::1')", "ip('127.0.0.1')", "ip('fe80::1')", "ip('224.0.0.1')", "ip('0.0.0.0')", "ip('2001:DB8::1')", "ip('ff02::1')"},
	"ipText":       {"'1.2.3.4'", "'1.2.3'", "'01.2.3.4'", "'::1'", "'::ffff:1.2.3.4'", "'fe80::1%eth0'", "''", "'x'", "'1.2.3.256'", "'1.2.3.4.5'", "'2001:db8::0:1'", "'1::2::3'", "'12345::'", "'1:2:3:4:5:6:7:8:9'", "'1.2.3.4/8'", "'2001:DB8::1'", "'1..2.3'", "'1:2'", "'::1.2.3.4'"},
	"cidr":         {"cidr('10.0.0.0/8')", "cidr('10.1.2.3/16')", "cidr('::/0')", "cidr('2001:db8::/32')", "cidr('1.2.3.4/32')"},
	"cidrText":     {"'10.0.0.0/8'", "'10.1.2.3/16'", "'1.2.3.4'", "'1.2.3.4/33'", "'::1/129'", "'x/8'", "''", "'1.2.3.4/'", "'1.2.3.4/-1'", "'1.2.3.4/08'", "'::ffff:1.2.3.4/100'", "'fe80::1%a/64'", "'1.2.3.4/a'"},
	"semver":       {"semver('1.2.3')", "semver('1.10.0-alpha.1+b')", "semver('0.0.1')", "semver('1.2.3-beta')"},
	"semverText":   {"'1.2.3'", "'v1.2.3'", "'1.2'", "'01.2.3'", "''", "'1.2.3-'", "'1.2.x'", "'1.2.3-01'", "'1.2.3+'", "'1.2.3-a..b'"},
	"list":         {"[1, 2, 3]", "[3, 1, 2]", "object.list", "[1, 1, 2]", "[0].filter(x, x > 0)", "lists.range(4)"},
	"strings":      {"['a', 'b']", "['b', 'a', 'b']", "object.names", "'a b c'.split(' ')"},
	"map":          {"{'a': 1}", "object.map", "{'k': 'v', 'b': 'w'}", "object.deep"},
	"format":       {"format.dns1123Label()", "format.dns1123Subdomain()", "format.dns1035Label()", "format.qualifiedName()", "format.labelValue()", "format.uri()", "format.uuid()", "format.byte()", "format.date()", "format.datetime()", "format.dns1123LabelPrefix()", "format.dns1035LabelPrefix()", "format.dns1123SubdomainPrefix()"},
	"formatted":    {"'a'", "'a-b.c'", "'A'", "'a-'", "''", "'a/b'", "'http://a/b'", "'x y'", "'123e4567-e89b-12d3-a456-426614174000'", "'aGVsbG8='", "'2021-01-01'", "'2021-01-01T00:00:00Z'", "'1a'", "'a/b/c'", "'" + strings.Repeat("a", 64) + "'"},
	"clause":       {"%s", "%d", "%f", "%.3f", "%e", "%.2e", "%b", "%x", "%X", "%o", "%%%s", "%z", "%.s", "%", "a%sb"},
	"any": {"1", "2u", "1.5", "1234567.891", "'ab'", "b'ab'", "true", "null", "[1, 2]", "['a', 'b']", "{'a': 1}", "duration('90s')", "timestamp('2024-01-01T02:00:00+02:00')", "int", "-255", "1e-9", "object.map", "dyn([1, 'a', 2.5, null])", "1e30",
		"optional.of(1)", "quantity('1')", "double('NaN')", "0.0"},
	"index": {"0", "1", "2", "3", "5", "-1", "100"},
}

// forms are templates of expressions; §type stands for a value of the type.
var forms = strings.Split(strings.TrimSpace(`
int(§number)
int(§double)
int(§uint)
int(§timestamp)
uint(§number)
uint(§double)
uint(§int)
double(§number)
double(§int)
bool(§number)
string(§int)
string(§uint)
string(§double)
string(§bool)
string(§bytes)
string(§duration)
string(§timestamp)
string(§ip)
string(§cidr)
[§number].map(x, string(x))[0]
[§number].map(x, int(x))[0]
[§duration].map(x, int(x))[0]
[§number].map(x, uint(x))[0]
[§number].map(x, double(x))[0]
[§number].map(x, bool(x))[0]
[§durationText].map(x, duration(x))[0]
[§timestampText].map(x, timestamp(x))[0]
[§string].map(x, bytes(x))[0]
duration(§durationText)
timestamp(§timestampText)
timestamp(§int)
type(§any)
§int + §int
§int - §int
§int * §int
§int / §int
§int % §int
§uint + §uint
§uint - §uint
§uint / §uint
§double + §double
§double * §double
§double / §double
§string + §string
§bytes + §bytes
§list + §list
-(§int)
-(§double)
§duration + §duration
§duration - §duration
§timestamp + §duration
§timestamp - §duration
§timestamp - §timestamp
§int < §double
§double >= §uint
§uint == dyn(§int)
dyn(§double) == §int
§string < §string
§string >= §string
§bytes < §bytes
§timestamp < §timestamp
§duration > §duration
§bool < §bool
§int in §list
§string in §strings
§string in §map
§list == §list
§map == §map
dyn(§any) == dyn(§any)
dyn(§any) != dyn(§any)
dyn(§any) < dyn(§any)
dyn(§any) + dyn(§any)
§map[§string]
§list[§index]
§strings[§index]
has(object.map.k) && §bool
has(object.nope) || §bool
§bool ? §int : §int
§bool || 1 / 0 > §int
§bool && object.nope
!(§bool)
size(§string)
size(§list)
§map.size()
§bytes.size()
§string.contains(§string)
§string.startsWith(§string)
§string.endsWith(§string)
[§pattern].map(x, §string.matches(x))[0]
§string.matches(§pattern)
[§pattern].map(x, §string.find(x))[0]
§string.find(§pattern)
§string.findAll(§pattern)
[§pattern].map(x, §string.findAll(x, §index))[0]
§string.charAt(§index)
§string.indexOf(§string)
§string.indexOf(§string, §index)
§string.lastIndexOf(§string)
§string.lastIndexOf(§string, §index)
§string.lowerAscii()
§string.upperAscii()
§string.replace(§string, §string)
§string.replace(§string, §string, §index)
§string.split(§string)
§string.split(§string, §index)
§string.substring(§index)
§string.substring(§index, §index)
§string.trim()
§strings.join()
§strings.join(§string)
strings.quote(§string)
'§clause'.format([§any])
['§clause'].map(x, x.format([dyn(§any)]))[0]
'§clause §clause'.format([§any, dyn(§any)])
['§clause'].map(x, x.format([§any]))[0]
§timestamp.getFullYear()
§timestamp.getMonth()
§timestamp.getDate()
§timestamp.getDayOfMonth()
§timestamp.getDayOfWeek()
§timestamp.getDayOfYear()
§timestamp.getHours(§zone)
§timestamp.getMinutes(§zone)
§timestamp.getSeconds()
§timestamp.getMilliseconds()
§duration.getHours()
§duration.getMinutes()
§duration.getSeconds()
§duration.getMilliseconds()
quantity(§quantityText)
isQuantity(§quantityText)
§quantity.add(§quantity)
§quantity.add(§int)
§quantity.sub(§quantity)
§quantity.sub(§int)
§quantity.compareTo(§quantity)
§quantity.isLessThan(§quantity)
§quantity.isGreaterThan(§quantity)
§quantity.asInteger()
§quantity.isInteger()
§quantity.asApproximateFloat()
sign(§quantity)
§quantity == §quantity
url(§urlText)
isURL(§urlText)
§url.getScheme()
§url.getHost()
§url.getHostname()
§url.getPort()
§url.getEscapedPath()
§url.getQuery()
ip(§ipText)
isIP(§ipText)
ip.isCanonical(§ipText)
§ip.family()
§ip.isUnspecified()
§ip.isLoopback()
§ip.isLinkLocalMulticast()
§ip.isLinkLocalUnicast()
§ip.isGlobalUnicast()
§ip == §ip
cidr(§cidrText)
isCIDR(§cidrText)
§cidr.containsIP(§ipText)
§cidr.containsIP(§ip)
§cidr.containsCIDR(§cidrText)
§cidr.containsCIDR(§cidr)
§cidr.masked()
§cidr.prefixLength()
§cidr.ip()
semver(§semverText)
semver(§semverText, true)
isSemver(§semverText)
isSemver(§semverText, true)
§semver.compareTo(§semver)
§semver.isLessThan(§semver)
§semver.isGreaterThan(§semver)
§semver.major() + §semver.minor() + §semver.patch()
§format.validate(§formatted)
§format.validate(§formatted)
§format.validate(§formatted)
§format.validate(§formatted)
format.named(§formatted)
format.named('dns1123Label')
§list.isSorted()
§strings.isSorted()
§list.sum()
[1.5, 2.0].sum() + §double
§list.min()
§strings.max()
§list.indexOf(§int)
§strings.lastIndexOf(§string)
§list.includes(§int)
dyn(§any).includes(§any)
§list.slice(§index, §index)
§list.reverse()
§strings.sort()
§list.sort()
§list.distinct()
[[1, [2]], [3]].flatten()
[[1, 2], [3]].flatten(§index)
lists.range(§index)
dyn([1, 'a']).sort()
object.items.sortBy(i, -i.n)
object.items.sortBy(i, i.name)
sets.contains(§list, §list)
sets.equivalent(§list, §list)
sets.intersects(§strings, §strings)
§list.all(x, x > §int)
§list.exists(x, x == §int)
§list.exists_one(x, x == §int)
§list.map(x, x * 2)
§list.map(x, x > 1, x)
§list.filter(x, x > §index)
§map.all(k, k != §string)
§map.map(k, k).size()
§list.all(i, v, i < v)
§map.exists(k, v, k == §string)
§list.existsOne(i, v, i == v)
§list.transformList(i, v, i + v)
§list.transformList(i, v, v > 1, i * v)
§map.transformMap(k, v, k)
§map.transformMap(k, v, k > 'k', v)
§strings.transformMapEntry(i, v, {v: i})
optional.of(§int).orValue(§int)
optional.none().orValue(§int)
optional.of(§int).hasValue()
optional.ofNonZeroValue(§int)
optional.ofNonZeroValue(§string)
optional.ofNonZeroValue(§any)
optional.of(§int).or(optional.of(§int)).value()
optional.ofNonZeroValue(§int).value()
object.?map.k
object.?nope.k
object.map[?§string]
object.list[?§index]
object.?map.k.orValue(§string)
optional.of(§int).optMap(x, x + 1)
optional.ofNonZeroValue(§int).optMap(x, x * 2).orValue(7)
optional.ofNonZeroValue(§int).optFlatMap(x, optional.of(x))
[?object.?a, ?object.?nope]
{?'a': object.?a, ?'b': object.?nope}
§strings.first()
§list.last()
`), "\n")

func (g *generator) expression() string {
	form := g.pick(forms)
	for {
		before, rest, found := strings.Cut(form, "§")
		if !found {
			return form
		}
		end := strings.IndexFunc(rest, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
		if end < 0 {
			end = len(rest)
		}
		from, known := values[rest[:end]]
		if !known {
			panic(fmt.Sprintf("no values for %s", strconv.Quote(rest[:end])))
		}
		form = before + g.pick(from) + rest[end:]
	}
}
