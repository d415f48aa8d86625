/** The starter of a run in words; a trigger without a person has none. Pure. */
export function starterName(startedBy: { readonly name: string } | null): string {
  return startedBy === null ? 'a trigger' : startedBy.name
}
