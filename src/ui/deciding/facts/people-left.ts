import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { neededPeople } from '#domain/deciding/needed-people.ts'

type Deciders = Pick<RequestDetail, 'eligiblePeople' | 'quorum'>

/** Who may decide a request and has not voted on it: a vote counts once. Pure. */
export function peopleLeft({ eligiblePeople, quorum }: Deciders): RequestDetail['eligiblePeople'] {
  const voters = new Set(quorum.counted.map(({ person }) => person.id))
  return eligiblePeople.filter(({ id }) => !voters.has(id))
}

/** Their names, those of people who are away last; empty if there is nobody. Pure. */
export function namesLeft(request: Deciders): string {
  return namesOf(peopleLeft(request))
}

/** Names of people, those who are away last and marked. Pure. */
export function namesOf(
  people: readonly { readonly name: string; readonly awayUntil?: string | null }[],
): string {
  // An API of an earlier version does not have this field.
  const here = people.filter(({ awayUntil }) => awayUntil == null).map(({ name }) => name)
  const away = people.filter(({ awayUntil }) => awayUntil != null)
  return [...here, ...away.map(({ name }) => `${name} (away)`)].join(', ')
}

/** The people whose approval brings the request forward, as a sentence. Pure. */
export function waitWords(request: Deciders): string {
  const names = namesLeft({ ...request, eligiblePeople: [...neededPeople(request.eligiblePeople)] })
  return names === '' ? 'nobody can decide it at the moment' : `waits for ${names}`
}
