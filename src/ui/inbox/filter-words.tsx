import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { timeIn } from '../text/time-in.ts'
import { visibleString } from '../text/visible-string.ts'

/** The filters that have no control on the page, because a link of another page set them. */
export function FilterWords() {
  const [search] = useSearchParams()
  const { person } = useMe()
  const voter = search.get('decidedBy')
  const isOther = voter !== null && voter !== person.id
  const named = useQuery({
    queryKey: ['person', voter],
    queryFn: ({ signal }) => callApi('listPeople', { query: { id: voter ?? '' }, signal }),
    enabled: isOther,
  })
  const other = named.isPending ? '…' : (named.data?.items[0]?.name ?? 'somebody who is not here')
  const words = wordsOf(search, isOther ? other : 'you')
  if (words.length === 0) return null
  return <p className="filter-words dim small break">Only: {words.join(', ')}.</p>
}

function wordsOf(search: URLSearchParams, voter: string): string[] {
  const words: string[] = []
  const add = (name: string, write: (value: string) => string): void => {
    const value = search.get(name)
    if (value !== null) words.push(visibleString(write(value)))
  }
  add('tool', (tool) => `tool ${tool}`)
  add('rule', (rule) => `rule ${rule}`)
  add('worker', (worker) => (worker === '' ? 'programs without a worker' : `worker ${worker}`))
  add('runId', (run) => `run ${run}`)
  add('decidedBy', () => `decided by ${voter}`)
  add('decision', (decision) => (decision === 'deny' ? 'with a denial' : 'with an approval'))
  add('effect', (effect) => (effect === 'failed' ? 'execution failed' : 'carried out'))
  add('decided', () => 'approved or denied')
  add('unseen', () => 'expired before anybody reacted')
  add('grantsUsed', () => 'whose approval let later calls run')
  add('from', (from) => `opened from ${timeIn(from)}`)
  add('to', (to) => `opened before ${timeIn(to)}`)
  return words
}
