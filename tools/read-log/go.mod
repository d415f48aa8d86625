module countersign/tools/read-log

go 1.26.4

require golang.org/x/mod v0.42.0
