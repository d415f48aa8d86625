//go:build tools

// Package tools pins the version of Helm's command.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
