import { keepInTab } from '../../api/keep-in-tab.ts'

/** A person and the digest of the presentation that they read. */
export interface ViewedPresentation {
  readonly personId: string
  readonly digest: string
}

/**
 * The place of a file in the marks of its presentation. If a call has only one file, the file has
 * the place of the call itself. Its mark is then the same in a change set and on the page of its
 * request.
 */
export function placeOfFile(index: number, files: number): number {
  return files === 1 ? 0 : index + 1
}

/** The places that the person marked as viewed, in this tab. */
export function viewedPlaces(of: ViewedPresentation): ReadonlySet<number> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(keyOf(of)) ?? '[]')
    return new Set(Array.isArray(value) ? value.filter((place) => typeof place === 'number') : [])
  } catch {
    return new Set()
  }
}

/** Marks a place as viewed, or as not, and returns all marks. They survive a reload. */
export function markViewed(
  of: ViewedPresentation,
  place: number,
  isViewed: boolean,
): ReadonlySet<number> {
  const places = new Set(viewedPlaces(of))
  if (isViewed) places.add(place)
  else places.delete(place)
  keepInTab(keyOf(of), JSON.stringify([...places]))
  return places
}

/** Contains the id of the person, so that another person in the same tab has marks of their own. */
function keyOf({ personId, digest }: ViewedPresentation): string {
  return `countersign.viewed.${personId}.${digest}`
}
