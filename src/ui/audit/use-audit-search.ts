import { useNavigate, useSearchParams } from 'react-router'

/** The parameters of the address that are filters of the API. */
const names = [
  'q',
  'type',
  'actor',
  'requestId',
  'runId',
  'from',
  'to',
  'outside',
  'timeZone',
] as const

/** The filters of the trail, which are in the address. */
export function useAuditSearch() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const query = new URLSearchParams()
  for (const name of names) if (search.get(name)) query.set(name, search.get(name) ?? '')
  return {
    search,
    /** the filters that are set, as the API reads them */
    query,
    setAll(values: Readonly<Record<string, string>>): void {
      const next = new URLSearchParams(search)
      for (const [name, value] of Object.entries(values)) {
        if (value.trim() === '') next.delete(name)
        else next.set(name, value.trim())
      }
      void navigate(`/audit?${next.toString()}`, { replace: true })
    },
    clear: () => void navigate('/audit'),
  }
}
