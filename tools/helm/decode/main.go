// Command decode reads Kubernetes objects as YAML from standard input and prints the kind and the
// name of each. A field that the object's type does not have, and a value of a wrong type, is an
// error. A kind that Kubernetes itself does not have is printed as such and not looked into.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := decode(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func decode(in io.Reader, out io.Writer) error {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(in))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		object, kind, err := strict.Decode(document, nil, nil)
		if runtime.IsMissingKind(err) {
			// A document of comments alone.
			continue
		}
		if runtime.IsNotRegisteredError(err) {
			fmt.Fprintln(out, "not of Kubernetes:", err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%w in:\n%s", err, document)
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s %s\n", kind.Kind, accessor.GetName())
	}
}
