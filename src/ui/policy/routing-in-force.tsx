import { Fragment } from 'react'
import type { PolicyState } from '#api/schemas/policy/policy.ts'
import { conditionWords, routeText } from '#domain/text/policy-words.ts'
import { usePolicy } from '../api/queries.ts'
import { VisibleText } from '../text/visible-text.tsx'

/** The routing and the overlays of the policy in force. */
export function RoutingInForce() {
  const policy = usePolicy()
  if (policy.data === undefined) return null
  const { routing, overlays, defaultQueue } = policy.data
  return (
    <section className="card column" aria-labelledby="routing-title">
      <h2 id="routing-title">Routing</h2>
      <p className="small dim">
        {routing.length === 0 ? 'No entry: calls go to' : 'The first match wins. Otherwise:'} the
        worker's queue
        {defaultQueue === null ? '; there is no default one' : `, else ${defaultQueue}`}.
      </p>
      <ol className="plain-list">
        {routing.map((entry) => (
          <li key={entry.source}>
            <span className="grow break small">
              <Conditions when={entry.when} />
            </span>
            <span className="small">{routeText(entry)}</span>
            <code className="small dim">{entry.source}</code>
          </li>
        ))}
      </ol>
      {overlays.length > 0 && (
        <>
          <h3>Overlays</h3>
          <ul className="plain-list">
            {overlays.map((overlay) => (
              <li key={overlay.source}>
                <span className="grow break small">
                  <Conditions when={overlay.when} />
                </span>
                <span className="small">
                  {overlay.approval === 'ask' ? 'asks' : 'blocked'}
                  {overlay.reason !== null && (
                    <>
                      : <VisibleText text={overlay.reason} />
                    </>
                  )}
                </span>
                <code className="small dim">{overlay.source}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function Conditions({ when }: { when: PolicyState['routing'][number]['when'] }) {
  const conditions = Object.entries(when)
  if (conditions.length === 0) return <>every call</>
  return conditions.map(([key, values]) => (
    <span key={key}>
      <span className="dim">{conditionWords[key] ?? key}</span>{' '}
      {values.map((value, index) => (
        <Fragment key={value}>
          {index > 0 && <span className="dim">or </span>}
          <code>
            <VisibleText text={value} />
          </code>{' '}
        </Fragment>
      ))}
    </span>
  ))
}
