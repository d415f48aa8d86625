/**
 * Of the people who can decide a request, those whose approval fills a place that is open; all of
 * them, if none does. Pure.
 */
export function neededPeople<Person extends { readonly fillsPlace: boolean }>(
  people: readonly Person[],
): readonly Person[] {
  const needed = people.filter(({ fillsPlace }) => fillsPlace)
  return needed.length > 0 ? needed : people
}
