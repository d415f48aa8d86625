import {
  keepPreviousData,
  queryOptions,
  skipToken,
  useInfiniteQuery,
  useQuery,
  type QueryClient,
} from '@tanstack/react-query'
import type { Me } from '#api/schemas/access/auth.ts'
import type { SavedViewBody } from '#api/schemas/access/saved-views.ts'
import type { SavedViewPage } from '#domain/saved-view.ts'
import { callApi, keepCsrfToken } from './call-api.ts'
import { everyPage } from './every-page.ts'

/** How many rows one page of a list has. */
const pageSize = 100

/** Who I am; a `401` means that nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await callApi('getMe', { signal })
    keepCsrfToken(me)
    return me
  },
  staleTime: 60_000,
})

/** The signed-in person; only below `SignedIn`, which has waited for it. */
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

/** The filters that the person keeps under names, of every page. */
export const savedViewsQuery = queryOptions({
  queryKey: ['saved-views'],
  queryFn: ({ signal }) => callApi('listSavedViews', { signal }),
  staleTime: 60_000,
})

/** Those of one page; none until they are read. */
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

/** Requests under the API's own filter names, page after page. */
export function useRequests(filters: string) {
  return useInfiniteQuery({
    queryKey: ['requests', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listRequests', { query: pageOf(filters, pageParam), signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}

/** One request, by id or number. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) => callApi('getRequest', { params: { id }, signal }),
  })
}

/** The calls of one turn of a run, with what approvers are shown of each. */
export function changeSetQuery(runId: string, turn: string) {
  return queryOptions({
    queryKey: ['run', runId, 'turn', turn],
    queryFn: ({ signal }) => callApi('getChangeSet', { params: { id: runId, n: turn }, signal }),
  })
}

/** What the service finds for these words; nothing is asked without one. */
export function useSearch(q: string) {
  return useQuery({
    queryKey: ['search', q],
    queryFn:
      q === '' ? skipToken : ({ signal }) => callApi('searchService', { query: { q }, signal }),
    placeholderData: keepPreviousData,
  })
}

/** Runs under the API's own filter names. */
export function useRuns(filters: string) {
  return useInfiniteQuery({
    queryKey: ['runs', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listRuns', { query: pageOf(filters, pageParam), signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** One run. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => callApi('getRun', { params: { id }, signal }),
  })
}

/** A run's turns. `id` null: nothing is asked. */
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
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}

/** What the model of a run is told of its world, once somebody wants to read it. */
export function useRunPreamble(id: string, isRequested: boolean) {
  return useQuery({
    queryKey: ['run', id, 'preamble'],
    queryFn: ({ signal }) => callApi('getRunPreamble', { params: { id }, signal }),
    enabled: isRequested,
    staleTime: Infinity,
  })
}

/**
 * The manual tools of a run, once somebody wants to invoke one: only the host of the workspace
 * knows them.
 */
export function useManualTools(id: string, isRequested: boolean) {
  return useQuery({
    queryKey: ['run', id, 'tools'],
    queryFn: ({ signal }) => callApi('listRunTools', { params: { id }, signal }),
    enabled: isRequested,
    staleTime: 60_000,
  })
}

/** Remembered approvals of a run. */
export function useGrants(id: string) {
  return useQuery({
    queryKey: ['run', id, 'grants'],
    queryFn: ({ signal }) => callApi('listGrants', { params: { id }, signal }),
  })
}

/**
 * The newest signed checkpoint of the audit log; read again by itself, since it follows the events
 * by a second.
 */
export function useCheckpoint() {
  return useQuery({
    queryKey: ['audit', 'checkpoint'],
    queryFn: ({ signal }) => callApi('getCheckpoint', { signal }),
    refetchInterval: 10_000,
  })
}

/** The audit trail under the API's own filter names. */
export function useAudit(filters: string) {
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi('listAuditEvents', {
        query: { ...pageOf(filters, pageParam), about: 'true' },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** When runs start by themselves; read again while the page is open, since times pass. */
export function useSchedules() {
  return useQuery({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => callApi('listSchedules', { signal }),
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

/** The same with what each does alone, asks and never does. */
export function useWorkerLines() {
  return useQuery({
    queryKey: ['workers', null, 'lines'],
    queryFn: ({ signal }) =>
      everyPage((page) => callApi('listWorkers', { query: { ...page, lines: 'true' }, signal })),
  })
}

/** One worker with what a run of it would do. `name` null: nothing is asked. */
export function useWorker(name: string | null) {
  return useQuery({
    queryKey: ['workers', name],
    queryFn:
      name === null
        ? skipToken
        : ({ signal }) => callApi('getWorker', { params: { name }, signal }),
  })
}

/** The version in force, and for who may activate the folder beside it. */
/** Proposals to pre-approve a rule that was always approved. */
export const policyChangesQuery = queryOptions({
  queryKey: ['policy', 'changes'],
  queryFn: ({ signal }) => callApi('listPolicyChanges', { signal }),
})

export function usePolicy() {
  return useQuery({
    queryKey: ['policy'],
    queryFn: ({ signal }) => callApi('getPolicy', { signal }),
  })
}

/** What MCP servers are pinned to. */
export function useDefinitions() {
  return useQuery({
    queryKey: ['policy', 'definitions'],
    queryFn: ({ signal }) => callApi('listDefinitions', { signal }),
  })
}

/** What one version changes of another; without digests the folder's of the one in force. */
export function usePolicyDifference(versions: { from?: string; to?: string }, enabled: boolean) {
  return useQuery({
    queryKey: ['policy', 'difference', versions],
    queryFn: ({ signal }) => callApi('comparePolicies', { query: versions, signal }),
    enabled,
  })
}

/** Every time that a version took force. */
export function usePolicyActivations() {
  return useInfiniteQuery({
    queryKey: ['policy', 'activations'],
    queryFn: ({ signal, pageParam }) =>
      callApi('listActivations', { query: { limit: 10, ...after(pageParam) }, signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  })
}

/** What an event of the stream makes stale. Ids only travel; everything is fetched again. */
export function refetchAfterEvent(
  client: QueryClient,
  event: { requestId?: string; runId?: string } | 'everything',
): void {
  if (event === 'everything') {
    void client.invalidateQueries()
    return
  }
  void client.invalidateQueries({ queryKey: ['queues'] })
  void client.invalidateQueries({ queryKey: ['requests'] })
  void client.invalidateQueries({ queryKey: ['request'] })
  void client.invalidateQueries({ queryKey: ['runs'] })
  void client.invalidateQueries({ queryKey: ['audit'] })
  if (event.runId !== undefined) void client.invalidateQueries({ queryKey: ['run', event.runId] })
}

/** The page of a list that comes after `cursor`, under filters as they stand in an address. */
function pageOf(filters: string, cursor: string | null) {
  const fields = Object.fromEntries(new URLSearchParams(filters))
  return { ...fields, limit: pageSize, ...after(cursor) }
}

function after(cursor: string | null): { readonly cursor?: string } {
  return cursor ? { cursor } : {}
}
