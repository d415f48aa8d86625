import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** The question of a request of that kind, as its title says it: one line, cut if it is long. */
export function questionOf({ title }: Pick<RequestDetail, 'title'>): string {
  return title.replace(/^Ask: /, '')
}
