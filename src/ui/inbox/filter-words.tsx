import { useSearchParams } from 'react-router'
import { useMe } from '../api/queries.ts'
import { preciseTime } from '../text/time.tsx'
import { visibleString } from '../text/visible-string.ts'

/** What the list is narrowed by beside the controls: a link of another page has set it. */
export function FilterWords() {
  const [search] = useSearchParams()
  const { person } = useMe()
  const words = wordsOf(search, person.id)
  if (words.length === 0) return null
  return <p className="filter-words dim small break">Only: {words.join(', ')}.</p>
}

function wordsOf(search: URLSearchParams, me: string): string[] {
  const words: string[] = []
  const add = (name: string, write: (value: string) => string): void => {
    const value = search.get(name)
    if (value !== null) words.push(visibleString(write(value)))
  }
  add('tool', (tool) => `tool ${tool}`)
  add('rule', (rule) => `rule ${rule}`)
  add('worker', (worker) => (worker === '' ? 'programs without a worker' : `worker ${worker}`))
  add('runId', (run) => `run ${run}`)
  add('decidedBy', (id) => (id === me ? 'decided by you' : `decided by person ${id}`))
  add('decision', (decision) => (decision === 'deny' ? 'with a denial' : 'with an approval'))
  add('effect', (effect) => (effect === 'failed' ? 'execution failed' : 'carried out'))
  add('from', (from) => `opened from ${timeIn(from)}`)
  add('to', (to) => `opened before ${timeIn(to)}`)
  return words
}

/** An instant of an address, which may hold anything. */
function timeIn(text: string): string {
  return Number.isNaN(Date.parse(text)) ? text : preciseTime(text)
}
