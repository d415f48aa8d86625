import {
  keepPreviousData,
  queryOptions,
  skipToken,
  useInfiniteQuery,
  useQuery,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query'
import type { Me } from '#api/schemas/access/auth.ts'
import type { SavedViewBody } from '#api/schemas/access/saved-views.ts'
import type { SavedViewPage } from '#domain/saved-view.ts'
import { callApi, isSessionOfOther, keepSession } from './call-api.ts'
import { everyPage } from './every-page.ts'

/** The number of rows in a page of a list. */
const pageSize = 100

/** How a list is read page by page: each page names the cursor of the next. */
export const byCursor = {
  initialPageParam: '',
  getNextPageParam: (page: { readonly nextCursor: string | null }) => page.nextCursor,
}

/**
 * The signed-in person. A `401` of the service means that nobody is signed in (`isSessionEnd`); one
 * of a proxy before it does not.
 */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await callApi('getMe', { signal })
    // For another person `SignedIn` loads the page anew. Until then it sends nothing as them.
    if (!isSessionOfOther(me.person.id)) keepSession(me)
    return me
  },
  staleTime: 60_000,
})

/** The signed-in person. Use it only below `SignedIn`, which has loaded it. */
export function useMe(): Me {
  const { data } = useQuery(meQuery)
  if (data === undefined) throw new Error('useMe is for pages behind the sign-in')
  return data
}

/** The sign-in methods that the sign-in page offers. */
export function useAuthMethods() {
  return useQuery({
    queryKey: ['auth-methods'],
    queryFn: ({ signal }) => callApi('listSignInMethods', { signal }),
  })
}

/** The person's saved views of all pages. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: ({ signal }) => callApi('listSavedViews', { signal }),
  staleTime: 60_000,
})

/** The person's saved views of one page; empty until they are loaded. */
export function useSavedViews(page: SavedViewPage): readonly SavedViewBody[] {
  const { data } = useQuery(savedViewsQuery)
  return data?.items.filter((view) => view.page === page) ?? []
}

/** Queues with their counts. */
export function useQueues() {
  return useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => everyPage((page) => callApi('listQueues', { query: page, signal })),
  })
}

/** A list of requests, loaded page by page. `filters` is a query in the API's names. */
export function useRequests(filters: string) {
  return useInfiniteQuery({
    queryKey: ['requests', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listRequests', { query: pageOf(filters, pageParam), signal }),
    ...byCursor,
  })
}

/** Everybody whom the project names or once named, by address. */
export function usePeople() {
  return useInfiniteQuery({
    queryKey: ['people'],
    queryFn: ({ signal, pageParam }) =>
      callApi('listPeople', { query: pageOf('', pageParam), signal }),
    ...byCursor,
  })
}

/** One request, by id or number. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) => callApi('getRequest', { params: { id }, signal }),
  })
}

/** The calls of one turn of a run, with the presentations that approvers see. */
export function changeSetQuery(runId: string, turn: string) {
  return queryOptions({
    queryKey: ['run', runId, 'turn', turn],
    queryFn: ({ signal }) => callApi('getChangeSet', { params: { id: runId, n: turn }, signal }),
  })
}

/** The results of a search. An empty text is not searched. */
export function useSearch(q: string) {
  return useQuery({
    queryKey: ['search', q],
    queryFn:
      q === '' ? skipToken : ({ signal }) => callApi('searchService', { query: { q }, signal }),
    placeholderData: keepPreviousData,
  })
}

/** A list of runs. `filters` is a query in the API's names. */
export function useRuns(filters: string) {
  return useInfiniteQuery({
    queryKey: ['runs', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listRuns', { query: pageOf(filters, pageParam), signal }),
    ...byCursor,
    placeholderData: keepPreviousData,
  })
}

export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => callApi('getRun', { params: { id }, signal }),
  })
}

/** The transcript of a run. With `id` null nothing is loaded. */
export function useTranscript(id: string | null) {
  return useQuery({
    queryKey: ['run', id, 'transcript'],
    queryFn:
      id === null
        ? skipToken
        : ({ signal }) => callApi('getTranscript', { params: { id }, signal }),
  })
}

/** The files that a run changed. */
export function useRunChanges(id: string) {
  return useInfiniteQuery({
    queryKey: ['run', id, 'changes'],
    queryFn: ({ signal, pageParam }) =>
      callApi('listRunChanges', { params: { id }, query: pageOf('', pageParam), signal }),
    ...byCursor,
  })
}

/** The preamble of a run, loaded once `isRequested` is true. */
export function useRunPreamble(id: string, isRequested: boolean) {
  return useQuery({
    queryKey: ['run', id, 'preamble'],
    queryFn: ({ signal }) => callApi('getRunPreamble', { params: { id }, signal }),
    enabled: isRequested,
    staleTime: Infinity,
  })
}

/**
 * The manual tools of a run, loaded once `isRequested` is true, because only the host of the
 * workspace knows them.
 */
export function useManualTools(id: string, isRequested: boolean) {
  return useQuery({
    queryKey: ['run', id, 'tools'],
    queryFn: ({ signal }) => callApi('listRunTools', { params: { id }, signal }),
    enabled: isRequested,
    staleTime: 60_000,
  })
}

/** The grants of a run. */
export function useGrants(id: string) {
  return useQuery({
    queryKey: ['run', id, 'grants'],
    queryFn: ({ signal }) => callApi('listGrants', { params: { id }, signal }),
  })
}

/**
 * The newest signed checkpoint of the audit log. It is reloaded at intervals, since it follows the
 * events by about a second.
 */
export function useCheckpoint() {
  return useQuery({
    queryKey: ['audit', 'checkpoint'],
    queryFn: ({ signal }) => callApi('getCheckpoint', { signal }),
    refetchInterval: 10_000,
  })
}

/** The audit events. `filters` is a query in the API's names. */
export function useAudit(filters: string) {
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listAuditEvents', {
        query: { ...pageOf(filters, pageParam), about: 'true' },
        signal,
      }),
    ...byCursor,
    placeholderData: keepPreviousData,
  })
}

/** The schedules, reloaded while the page is open, since their next times change. */
export function useSchedules() {
  return useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => callApi('listSchedules', { signal }),
    refetchInterval: 60_000,
  })
}

/** The triggers, reloaded like the schedules for their last runs. */
export function useTriggers() {
  return useQuery({
    queryKey: ['triggers'],
    queryFn: ({ signal }) => callApi('listTriggers', { signal }),
    refetchInterval: 60_000,
  })
}

/** Workers of the policy in force. */
export function useWorkers() {
  return useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => everyPage((page) => callApi('listWorkers', { query: page, signal })),
  })
}

/** The workers with sentences about what each may do. */
export function useWorkerLines() {
  return useQuery({
    queryKey: ['workers', null, 'lines'],
    queryFn: ({ signal }) =>
      everyPage((page) => callApi('listWorkers', { query: { ...page, lines: 'true' }, signal })),
  })
}

/** One worker with a preview of what its runs may do. With `name` null nothing is loaded. */
export function useWorker(name: string | null) {
  return useQuery({
    queryKey: ['workers', name],
    queryFn:
      name === null
        ? skipToken
        : ({ signal }) => callApi('getWorker', { params: { name }, signal }),
  })
}

/** The open proposals to pre-approve a rule. */
export const policyChangesQuery = queryOptions({
  queryKey: ['policy', 'changes'],
  queryFn: ({ signal }) => callApi('listPolicyChanges', { signal }),
})

/** The state of the policy; the version of the folder only for people who may activate it. */
export function usePolicy() {
  return useQuery({
    queryKey: ['policy'],
    queryFn: ({ signal }) => callApi('getPolicy', { signal }),
  })
}

/** The pinned tool definitions of MCP servers. */
export function useDefinitions() {
  return useQuery({
    queryKey: ['policy', 'definitions'],
    queryFn: ({ signal }) => callApi('listDefinitions', { signal }),
  })
}

/** The difference between two versions; default: the folder's and the one in force. */
export function usePolicyDifference(versions: { from?: string; to?: string }, enabled: boolean) {
  return useQuery({
    queryKey: ['policy', 'difference', versions],
    queryFn: ({ signal }) => callApi('comparePolicies', { query: versions, signal }),
    enabled,
  })
}

/** All activations of versions. */
export function usePolicyActivations() {
  return useInfiniteQuery({
    queryKey: ['policy', 'activations'],
    queryFn: ({ signal, pageParam }) =>
      callApi('listActivations', { query: { limit: 10, ...after(pageParam) }, signal }),
    ...byCursor,
  })
}

/** Reloads the queries that an event of the stream makes stale. Events contain ids only. */
export function refetchAfterEvent(
  client: QueryClient,
  event: { requestId?: string; runId?: string } | 'everything',
): void {
  if (event === 'everything') {
    reload(client, [])
    return
  }
  for (const name of ['queues', 'requests', 'request', 'runs', 'audit']) reload(client, [name])
  if (event.runId !== undefined) reload(client, ['run', event.runId])
}

/**
 * Reloads queries. One that is loading is not cancelled: while events come faster than answers, it
 * would never show one. It is loaded again afterwards, because its answer may be older than the
 * event.
 */
function reload(client: QueryClient, queryKey: QueryKey): void {
  const loading = client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })
  beginReload(client, { queryKey })
  for (const query of loading) {
    const again = (): void => beginReload(client, { queryKey: query.queryKey, exact: true })
    query.fetch().then(again, again)
  }
}

/**
 * Begins a reload. If a person then asks for the next page of a list, that cancels the reload, so
 * it begins again after the page.
 */
function beginReload(client: QueryClient, filters: { queryKey: QueryKey; exact?: true }): void {
  void client.invalidateQueries(filters, { cancelRefetch: false })
  for (const query of client.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
    const again = (): void => {
      if (!query.state.fetchMeta?.fetchMore) return
      beginReload(client, { queryKey: query.queryKey, exact: true })
    }
    // Ends with what is loaded last: the page, if it took the place of the reload.
    query.fetch().then(again, again)
  }
}

/** The query of the page of a list after `cursor`. */
function pageOf(filters: string, cursor: string | null) {
  const fields = Object.fromEntries(new URLSearchParams(filters))
  return { ...fields, limit: pageSize, ...after(cursor) }
}

function after(cursor: string | null): { readonly cursor?: string } {
  return cursor ? { cursor } : {}
}
