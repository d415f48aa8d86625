/** Who started a run, in words: nobody did where a trigger without a person started it. Pure. */
export function starterName(startedBy: { readonly name: string } | null): string {
  return startedBy === null ? 'a trigger' : startedBy.name
}
