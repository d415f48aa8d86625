import { Link } from 'react-router'
import type { AlikeRequest } from '#api/schemas/requests/alike.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence, alikeWords } from '#domain/deciding/alike-words.ts'
import { Notice } from '../../states/notice.tsx'
import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'

/** Alike requests: with the same call, and about the same file or program. */
export function Alike({ request }: { request: RequestDetail }) {
  const { same, similar, hidden, again } = request.alike
  const againText = request.state === 'pending' ? againSentence(again) : null
  if (same.length + similar.length + hidden === 0 && againText === null) return null
  return (
    <section className="card column alike" aria-labelledby="alike-title">
      <h2 id="alike-title">Similar calls</h2>
      {againText !== null && <Notice tone="bad" title={`${againText}.`} />}
      <AlikeList label="The same call" requests={same} />
      <AlikeList label="The same file or program" requests={similar} />
      {hidden > 0 && (
        <p className="small dim">
          {hidden === 1 ? 'One more exists' : `${hidden} more exist`} that you may not see.
        </p>
      )}
    </section>
  )
}

/**
 * The number of requests that are shown in full. More would move the effect off a phone's screen.
 */
const maxFullItems = 3

/** Decided requests first, then pending ones. After the first few, only numbers. */
function AlikeList({ label, requests }: { label: string; requests: readonly AlikeRequest[] }) {
  if (requests.length === 0) return null
  const isOpen = ({ state }: AlikeRequest): boolean => state === 'pending'
  const ordered = [...requests.filter((one) => !isOpen(one)), ...requests.filter(isOpen)]
  const rest = ordered.slice(maxFullItems)
  return (
    <>
      <h3>{label}</h3>
      <ul className="plain-list">
        {ordered.slice(0, maxFullItems).map((one) => (
          <li key={one.requestId}>
            <Link to={`/requests/${one.number}`}>#{one.number}</Link>
            <span className="grow break">
              <VisibleText text={one.effect} />: {alikeWords(one)}, <Time at={one.at} />
              {one.reason !== null && (
                <>
                  : “<VisibleText text={one.reason} />”
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {rest.length > 0 && (
        <p className="small dim">
          {rest.length} more:
          {rest.map(({ number, requestId }) => (
            <span key={requestId}>
              {' '}
              <Link to={`/requests/${number}`}>#{number}</Link>
            </span>
          ))}
        </p>
      )}
    </>
  )
}
