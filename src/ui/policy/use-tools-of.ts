import { useQuery } from '@tanstack/react-query'
import { callApi } from '../api/call-api.ts'

/** The tools of a worker, with the schemas of their inputs. */
export function useToolsOf(worker: string) {
  return useQuery({
    queryKey: ['workers', worker, 'tools'],
    queryFn: ({ signal }) => callApi('listWorkerTools', { params: { name: worker }, signal }),
    enabled: worker !== '',
    retry: false,
    staleTime: 60_000,
  })
}
