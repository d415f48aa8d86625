/** A path of the service whose parts come from the command line: `` path`/v1/runs/${id}` `` lets no part be more than one segment. */
export function path(strings: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw({ raw: strings }, ...parts.map(encodeURIComponent))
}
