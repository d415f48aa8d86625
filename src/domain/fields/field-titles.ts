/**
 * Metadata of a presentation: the titles in the tool's schema, by the JSON pointer of a field, with
 * `entryPart` for each entry of a list.
 */
export const fieldTitlesName = 'fieldTitles'

/** Every entry of a list, as a part of the pointers of titles: all have those of one schema. */
export const entryPart = '-'

/** A name as a part of a JSON pointer (RFC 6901); no name is taken for the entries of a list. */
export function pointerPart(name: string): string {
  return name === entryPart ? '~' : name.replaceAll('~', '~0').replaceAll('/', '~1')
}
