/** The filters, in the API's names and in the order of the page. */
const names = [
  'queue',
  'mine',
  'snoozed',
  'state',
  'risk',
  'tool',
  'runId',
  'rule',
  'worker',
  'decidedBy',
  'decision',
  'effect',
  'decided',
  'unseen',
  'grantsUsed',
  'from',
  'to',
  'q',
  'sort',
] as const
export type FilterName = (typeof names)[number]

/** The filters that have a control on the page of the list; beside a request only `q` has. */
export const filterControls = {
  state: [
    { value: '', label: 'Waiting' },
    { value: 'approved', label: 'Approved' },
    { value: 'denied', label: 'Denied' },
    { value: 'expired', label: 'Expired' },
    { value: 'cancelled', label: 'Cancelled' },
    { value: 'any', label: 'Any state' },
  ],
  risk: [
    { value: '', label: 'Any risk' },
    { value: 'high', label: 'High risk' },
    { value: 'medium', label: 'Medium risk' },
    { value: 'low', label: 'Low risk' },
  ],
  sort: [
    { value: '', label: 'Urgent first' },
    { value: 'createdAt', label: 'Newest first' },
    { value: 'age', label: 'Oldest first' },
    { value: 'expiresAt', label: 'Expiring first' },
    { value: 'risk', label: 'Riskiest first' },
  ],
} as const

/**
 * The API's query for an inbox address: known names only, and pending requests unless another state
 * is set. Pure.
 */
export function requestsQueryOf(search: URLSearchParams): string {
  const query = new URLSearchParams(viewQueryOf(search))
  if (query.get('state') === 'any') query.delete('state')
  else if (!query.has('state') && !query.has('mine') && !query.has('snoozed'))
    query.set('state', 'pending')
  return query.toString()
}

/** The address with one filter changed; an empty value removes it. Pure. */
export function withFilter(
  search: URLSearchParams,
  name: FilterName,
  value: string,
  pathname = '/',
): string {
  const next = new URLSearchParams(search)
  if (value === '') next.delete(name)
  else next.set(name, value)
  return addressOf(next, pathname)
}

/** The address of a dashboard page with the filters of the list. Pure. */
export function addressOf(search: URLSearchParams, pathname = '/'): string {
  const text = search.toString()
  return text === '' ? pathname : `${pathname}?${text}`
}

/** Whether the list has pending requests only. Pure. */
export function isOfPending(search: URLSearchParams): boolean {
  const state = search.get('state') ?? ''
  return state === '' || state === 'pending'
}

/** The filters of an address in a fixed order, for a saved view. Pure. */
export function viewQueryOf(search: URLSearchParams): string {
  const query = new URLSearchParams()
  for (const name of names) {
    const value = search.get(name)
    // An empty worker is a filter for programs that name none.
    if (value !== null && (value !== '' || name === 'worker')) query.set(name, value)
  }
  return query.toString()
}

/** The parameters that choose a list or its order: they do not narrow it. */
const ofList: ReadonlySet<FilterName> = new Set(['queue', 'mine', 'snoozed', 'sort'])

/** Whether the list has a filter that narrows it. Pure. */
export function isNarrowed(search: URLSearchParams): boolean {
  return names.some((name) => !ofList.has(name) && search.has(name))
}

/** The address of the list without its filters. Pure. */
export function withoutFilters(search: URLSearchParams, pathname: string): string {
  const next = new URLSearchParams(search)
  for (const name of names) if (!ofList.has(name)) next.delete(name)
  return addressOf(next, pathname)
}
