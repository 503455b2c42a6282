package main

// Asks for answers and watches in the forms that clients use: JSON, YAML, protobuf, and in each of them the object,
// its metadata alone, or a table.

const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

// forms are the media types of all forms. Each server refuses some of them for some requests.
var forms = func() (made []string) {
	for _, encoding := range []string{jsonType, yamlType, protobufType} {
		made = append(made, encoding)
		for _, as := range []string{"Table", "PartialObjectMetadata", "PartialObjectMetadataList"} {
			for _, version := range []string{"v1", "v1beta1"} {
				made = append(made, encoding+";as="+as+";v="+version+";g=meta.k8s.io")
			}
		}
	}
	return made
}()

// inForm asks for an answer in one of the forms, and sometimes in another one if the server does not have it.
func inForm(g *generator, made *draft) {
	made.header["Accept"] = pick(g, forms)
	if g.sometimes(2) {
		made.header["Accept"] += "," + pick(g, []string{jsonType, protobufType, pick(g, forms)})
	}
	if g.sometimes(4) {
		addQuery(g, made, "includeObject=Object", "includeObject=None", "includeObject=Metadata")
	}
}
