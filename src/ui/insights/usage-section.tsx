import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import type { UsageKey } from '#domain/insight-key.ts'
import { callApi } from '../api/call-api.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { dollars } from '../text/dollars.ts'
import { isoDaysAgo } from '../text/iso-days-ago.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { activeRuns } from './insight-links.ts'
import { FigureHead, FigureTable } from './insight-table.tsx'

/** The usage of models by worker or person; nothing if there was none. */
export function UsageSection({ by, days }: { by: UsageKey; days: number }) {
  const usage = useQuery({
    queryKey: ['insights', 'usage', by, days],
    queryFn: ({ signal }) => {
      const from = isoDaysAgo(days)
      return callApi('getUsage', { query: { by, from }, signal })
    },
    placeholderData: keepPreviousData,
  })
  const { data } = usage
  const heading = `Model usage by ${data?.by ?? by}`
  if (usage.isLoadingError) {
    return (
      <section className="card column" aria-labelledby="usage-title">
        <h2 id="usage-title">{heading}</h2>
        <Failure query={usage} />
      </section>
    )
  }
  if (data === undefined) return <Loading what="the usage of models" lines={3} />
  const items = data.items.filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
  if (items.length === 0) return null
  return (
    <section className="card column" aria-labelledby="usage-title">
      <h2 id="usage-title">{heading}</h2>
      <FigureTable label="Tokens and cost">
        <FigureHead columns={[data.by, 'runs', 'cost', 'tokens in', 'cached', 'tokens out']} />
        <tbody>
          {items.map((item) => (
            <tr key={item.key}>
              <th scope="row">
                {item.key === '' ? (
                  item.name
                ) : (
                  <Link to={activeRuns(data, item.key)}>
                    <VisibleText text={item.name} />
                  </Link>
                )}
              </th>
              <td>{item.runs}</td>
              <td>{item.costUsd === null ? 'no price' : dollars(item.costUsd)}</td>
              <td>{item.inputTokens.toLocaleString('en')}</td>
              <td>{item.cachedInputTokens.toLocaleString('en')}</td>
              <td>{item.outputTokens.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </FigureTable>
    </section>
  )
}
