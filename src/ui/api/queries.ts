import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type QueryClient,
} from '@tanstack/react-query'
import type { SignedCheckpointView } from '../../api/schemas/audit/audit-log.ts'
import type { AuditList } from '../../api/schemas/audit/audit.ts'
import type { AuthMethods, Me } from '../../api/schemas/access/auth.ts'
import type { GrantList } from '../../api/schemas/policy/grants.ts'
import type {
  DefinitionList,
  PolicyActivationList,
  PolicyDifference,
  PolicyState,
} from '../../api/schemas/policy/policy.ts'
import type { QueueList } from '../../api/schemas/requests/queues.ts'
import type { RequestDetail, RequestList } from '../../api/schemas/requests/requests.ts'
import type { ManualTools, RunDetail, RunList } from '../../api/schemas/runs/runs.ts'
import type { Transcript } from '../../api/schemas/runs/transcript.ts'
import type { WorkerDetail, WorkerList } from '../../api/schemas/operation/workers.ts'
import { callApi, keepCsrfToken } from './call-api.ts'
import { everyPage } from './every-page.ts'

/** How many rows one page of a list has. */
const pageSize = 100

/** Who I am; a `401` means that nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const me = await callApi<Me>('/v1/me', { signal })
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

/** What the sign-in page may offer. */
export function useAuthMethods() {
  return useQuery({
    queryKey: ['auth-methods'],
    queryFn: ({ signal }) => callApi<AuthMethods>('/v1/auth/methods', { signal }),
  })
}

/** Queues with their counts. */
export function useQueues() {
  return useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => everyPage<QueueList>('/v1/queues', signal),
  })
}

/** Requests under the API's own filter names, page after page. */
export function useRequests(filters: string) {
  return useInfiniteQuery({
    queryKey: ['requests', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi<RequestList>(listPath('/v1/requests', filters, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: (page: RequestList) => page.nextCursor,
  })
}

/** One request, by id or number. */
export function requestQuery(id: string) {
  return queryOptions({
    queryKey: ['request', id],
    queryFn: ({ signal }) =>
      callApi<RequestDetail>(`/v1/requests/${encodeURIComponent(id)}`, { signal }),
  })
}

/** Runs under the API's own filter names. */
export function useRuns(filters: string) {
  return useInfiniteQuery({
    queryKey: ['runs', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi<RunList>(listPath('/v1/runs', filters, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: (page: RunList) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** One run. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: ({ signal }) => callApi<RunDetail>(`/v1/runs/${encodeURIComponent(id)}`, { signal }),
  })
}

/** A run's turns. `id` null: nothing is asked. */
export function useTranscript(id: string | null) {
  return useQuery({
    queryKey: ['run', id, 'transcript'],
    queryFn: ({ signal }) => callApi<Transcript>(`/v1/runs/${id}/transcript`, { signal }),
    enabled: id !== null,
  })
}

/** The manual tools of a run, once somebody wants to invoke one: only the host of the workspace knows them. */
export function useManualTools(id: string, wanted: boolean) {
  return useQuery({
    queryKey: ['run', id, 'tools'],
    queryFn: ({ signal }) => callApi<ManualTools>(`/v1/runs/${id}/tools`, { signal }),
    enabled: wanted,
    staleTime: 60_000,
  })
}

/** Remembered approvals of a run. */
export function useGrants(id: string) {
  return useQuery({
    queryKey: ['run', id, 'grants'],
    queryFn: ({ signal }) => callApi<GrantList>(`/v1/runs/${id}/grants`, { signal }),
  })
}

/** The newest signed checkpoint of the audit log; read again by itself, since it follows the events by a second. */
export function useCheckpoint() {
  return useQuery({
    queryKey: ['audit', 'checkpoint'],
    queryFn: ({ signal }) => callApi<SignedCheckpointView>('/v1/audit/checkpoint', { signal }),
    refetchInterval: 10_000,
  })
}

/** The audit trail under the API's own filter names. */
export function useAudit(filters: string) {
  return useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ signal, pageParam }) =>
      callApi<AuditList>(listPath('/v1/audit', filters, pageParam), { signal }),
    initialPageParam: '',
    getNextPageParam: (page: AuditList) => page.nextCursor,
    placeholderData: keepPreviousData,
  })
}

/** Workers of the policy in force. */
export function useWorkers() {
  return useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => everyPage<WorkerList>('/v1/workers', signal),
  })
}

/** One worker with its zones, tools and limits. */
export function useWorker(name: string) {
  return useQuery({
    queryKey: ['workers', name],
    queryFn: ({ signal }) =>
      callApi<WorkerDetail>(`/v1/workers/${encodeURIComponent(name)}`, { signal }),
    staleTime: 60_000,
  })
}

/** The version in force, and for who may activate the folder beside it. */
export function usePolicy() {
  return useQuery({
    queryKey: ['policy'],
    queryFn: ({ signal }) => callApi<PolicyState>('/v1/policy', { signal }),
  })
}

/** What MCP servers are pinned to. */
export function useDefinitions() {
  return useQuery({
    queryKey: ['policy', 'definitions'],
    queryFn: ({ signal }) => callApi<DefinitionList>('/v1/policy/definitions', { signal }),
  })
}

/** What one version changes of another; without digests the folder's of the one in force. */
export function usePolicyDifference(versions: { from?: string; to?: string }, enabled: boolean) {
  return useQuery({
    queryKey: ['policy', 'difference', versions],
    queryFn: ({ signal }) =>
      callApi<PolicyDifference>(`/v1/policy/difference?${new URLSearchParams(versions)}`, {
        signal,
      }),
    enabled,
  })
}

/** Every time that a version took force. */
export function usePolicyActivations() {
  return useInfiniteQuery({
    queryKey: ['policy', 'activations'],
    queryFn: ({ signal, pageParam }) =>
      callApi<PolicyActivationList>(
        `/v1/policy/activations?limit=10${pageParam === '' ? '' : `&cursor=${encodeURIComponent(pageParam)}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: (page: PolicyActivationList) => page.nextCursor,
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

function listPath(path: string, filters: string, cursor: string | null): string {
  const query = new URLSearchParams(filters)
  query.set('limit', String(pageSize))
  if (cursor) query.set('cursor', cursor)
  return `${path}?${query.toString()}`
}
