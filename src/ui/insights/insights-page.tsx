import { NativeSelect } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { insightKeys, type InsightKey } from '#domain/insight-key.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import { Headline } from '../shell/headline.tsx'
import { currentSearch } from '../shell/current-search.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { Together } from '../states/together.tsx'
import { isoDaysAgo } from '../text/iso-days-ago.ts'
import { AttentionSections } from './attention-sections.tsx'
import { OutcomeTable, TimeTable } from './insight-table.tsx'
import { Proposals } from './proposals.tsx'
import { TimeChart } from './time-chart.tsx'
import { UsageSection } from './usage-section.tsx'
import { WaitingAges } from './waiting-ages.tsx'
import './insights.css'
import type { InsightView } from '#api/schemas/requests/insights.ts'
import { BarChart, type BarPart } from './bar-chart.tsx'
import { outcomes, type LinkScope } from './insight-links.ts'

const groupings: Readonly<Record<InsightKey, string>> = {
  queue: 'By queue',
  worker: 'By worker',
  tool: 'By tool',
  rule: 'By rule',
  person: 'By person',
}
const times = ['1', '7', '30', '90']

/** Charts of outcomes with their figures, and rules that could ask less often. */
export function InsightsPage() {
  const [search, setSearch] = useSearchParams()
  const by = insightKeys.find((key) => key === search.get('by')) ?? 'queue'
  const days = times.find((time) => time === search.get('days')) ?? '30'
  const set = (name: string, value: string): void => {
    const next = currentSearch()
    next.set(name, value)
    setSearch(next, { replace: true })
  }
  const insights = useQuery({
    queryKey: ['insights', by, days],
    queryFn: ({ signal }) => {
      const from = isoDaysAgo(Number(days))
      return callApi('getInsights', { query: { by, from }, signal })
    },
    placeholderData: keepPreviousData,
  })
  const { data } = insights
  const { person } = useMe()
  return (
    <>
      <div className="page-head">
        <Headline tab="Insights">Insights</Headline>
        <div className="row">
          <InsightFilters by={by} days={days} set={set} />
        </div>
      </div>
      <Together what="insights" layout="tiles">
        <div className="column answer" aria-busy={insights.isPlaceholderData}>
          {person.rights.includes('readAudit') && (
            <p className="dim small">
              The figures count all requests, because you may read the whole trail. The lists behind
              them have those that you may see; <Link to="/audit">Audit</Link> has all.
            </p>
          )}
          {insights.isPending && <Loading what="insights" lines={6} />}
          {insights.isError && (
            <section className="card column" aria-labelledby="outcomes-title">
              <h2 id="outcomes-title">Outcomes</h2>
              <Failure query={insights} />
            </section>
          )}
          {data?.items.length === 0 && (
            <p className="card">
              No request that you may see was opened in this time. Choose a longer time, or{' '}
              <Link to="/runs/new">start a run</Link>.
            </p>
          )}
          {data !== undefined && data.items.length > 0 && (
            <Groups scope={{ ...data, me: person.id }} items={data.items} />
          )}
          <AttentionSections days={Number(days)}>
            <UsageSection by={by === 'person' ? 'person' : 'worker'} days={Number(days)} />
            <Proposals />
          </AttentionSections>
        </div>
      </Together>
    </>
  )
}

function InsightFilters(props: {
  by: InsightKey
  days: string
  set: (name: 'by' | 'days', value: string) => void
}) {
  const { by, days, set } = props
  return (
    <>
      <NativeSelect
        aria-label="Group"
        data={insightKeys.map((value) => ({ value, label: groupings[value] }))}
        value={by}
        onChange={(event) => set('by', event.currentTarget.value)}
      />
      <NativeSelect
        aria-label="Time"
        data={times.map((value) => ({
          value,
          label: value === '1' ? 'The last day' : `The last ${value} days`,
        }))}
        value={days}
        onChange={(event) => set('days', event.currentTarget.value)}
      />
    </>
  )
}

/** What became of the requests of each group, how long that took, and what waits. */
function Groups({ scope, items }: { scope: LinkScope; items: readonly InsightView[] }) {
  return (
    <div className="insight-pair">
      <section className="card column" aria-labelledby="outcomes-title">
        <h2 id="outcomes-title">Outcomes</h2>
        <BarChart
          label="Outcomes"
          parts={outcomeParts}
          scope={scope}
          items={items}
          figure="opened"
        />
        <OutcomeTable scope={scope} items={items} />
      </section>
      {items.some(({ medianSeconds }) => medianSeconds !== null) && (
        <section className="card column" aria-labelledby="times-title">
          <h2 id="times-title">How long deciding took</h2>
          <p className="dim small">
            The bar ends at the median, the line where nine of ten were decided.
          </p>
          <TimeChart scope={scope} items={items} />
          <TimeTable scope={scope} items={items} />
        </section>
      )}
      <WaitingAges scope={scope} items={items} />
    </div>
  )
}

const outcomeParts = outcomes.map((what): BarPart => ({
  what,
  words: what,
  className: `mark-${what}`,
  count: (item) => item[what],
}))
