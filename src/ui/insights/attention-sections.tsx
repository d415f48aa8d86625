import { Button } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Children, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import type { AttentionView } from '#api/schemas/requests/attention.ts'
import { callApi } from '../api/call-api.ts'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { isoDaysAgo } from '../text/iso-days-ago.ts'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { unseenIn } from './insight-links.ts'
import { LoadChart, LoadTable } from './load-chart.tsx'
import { RequestNumbers } from './request-numbers.tsx'
import { secondsInWords } from './seconds-in-words.ts'

/** The number of items of a list that are shown at first. */
const initialCount = 5

/** The requests of each day, `children`, and the three lists of requests that deserve attention. */
export function AttentionSections({ days, children }: { days: number; children: ReactNode }) {
  const attention = useQuery({
    queryKey: ['insights', 'attention', days],
    queryFn: ({ signal }) => {
      const from = isoDaysAgo(days)
      return callApi('getAttention', { query: { from }, signal })
    },
    placeholderData: keepPreviousData,
  })
  const { data } = attention
  if (data === undefined) {
    return (
      <>
        {children}
        {attention.isError ? (
          <section className="card column" aria-labelledby="attention-title">
            <h2 id="attention-title">What deserves a look</h2>
            <Failure query={attention} />
          </section>
        ) : (
          <Loading what="what deserves a look" lines={6} />
        )}
      </>
    )
  }
  return (
    <>
      {data.days.some(({ opened: count }) => count > 0) && (
        <section className="card column" aria-labelledby="load-title">
          <h2 id="load-title">Requests of each day</h2>
          <LoadChart days={data.days} />
          <LoadTable days={data.days} />
        </section>
      )}
      {children}
      <div className="attention">
        <FastApprovals figures={data.fastApprovals} />
        <ExpiredUnseen figures={data.expiredUnseen} all={unseenIn(data)} />
        <RepeatedCalls figures={data.askedTwice} />
      </div>
    </>
  )
}

function FastApprovals({ figures }: { figures: AttentionView['fastApprovals'] }) {
  return (
    <Section
      id="fast"
      title="Approved faster than it can be read"
      about="At 50 characters a second, counted from when the request was shown, or from the previous approval."
      figures={figures}
      none="All approvals that you may see left enough time to read."
    >
      {figures.items.map(({ person, at, seconds, readSeconds, title, requests }) => (
        <li key={`${person.id} ${at}`}>
          <span className="grow break">
            <VisibleText text={title} />
            {requests.length > 1 && ` and ${requests.length - 1} more`}{' '}
            <RequestNumbers numbers={requests} />
          </span>
          <span className="dim small">
            <VisibleText text={person.name} />: approved in {secondsInWords(seconds)}; to read it
            takes {secondsInWords(readSeconds)} · <Time at={at} />
          </span>
        </li>
      ))}
    </Section>
  )
}

function ExpiredUnseen(props: {
  figures: AttentionView['expiredUnseen']
  /** the address of the list that has all of them */
  all: string
}) {
  const { figures, all } = props
  return (
    <Section
      id="unseen"
      title="Expired unseen"
      about="Nobody voted on it, claimed it, commented on it or handed it over."
      figures={figures}
      all={all}
      none="No request expired unseen."
    >
      {figures.items.map(({ number, title, queue, expiredAt }) => (
        <li key={number}>
          <span className="grow break">
            <VisibleText text={title} /> <RequestNumbers numbers={[number]} />
          </span>
          <span className="dim small">
            queue {queue}, expired <Time at={expiredAt} />
          </span>
        </li>
      ))}
    </Section>
  )
}

function RepeatedCalls({ figures }: { figures: AttentionView['askedTwice'] }) {
  return (
    <Section
      id="twice"
      title="The same call requested twice"
      about="More than one step requested the same tool with the same input."
      figures={figures}
      none="No call was requested twice."
    >
      {figures.items.map(({ title, times, approved, denied, requests }) => (
        <li key={requests[0]}>
          <span className="grow break">
            <VisibleText text={title} /> <RequestNumbers numbers={requests} />
          </span>
          <span className="dim small">
            {times} times: {approved} approved, {denied} denied
          </span>
        </li>
      ))}
    </Section>
  )
}

function Section(props: {
  id: string
  title: string
  about: string
  figures: { readonly count: number; readonly items: readonly unknown[] }
  /** the address of the list that has all of them, if one has */
  all?: string
  none: string
  children: ReactNode
}) {
  const { id, title, about, figures, all, none } = props
  const [showsAll, setShowsAll] = useState(false)
  const items = Children.toArray(props.children)
  const hidden = showsAll ? 0 : Math.max(0, items.length - initialCount)
  return (
    <section className="card column" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title}
        {figures.count > 0 && (
          <span className="dim">
            {' '}
            {all === undefined ? (
              figures.count.toLocaleString('en')
            ) : (
              <Link to={all} aria-label={`${figures.count}: ${title}`}>
                {figures.count.toLocaleString('en')}
              </Link>
            )}
          </span>
        )}
      </h2>
      <p className="dim small">{about}</p>
      {figures.count === 0 ? (
        <p className="small">{none}</p>
      ) : (
        <ul className="plain-list">{items.slice(0, items.length - hidden)}</ul>
      )}
      {hidden > 0 && (
        <div>
          <Button size="compact-sm" variant="default" onClick={() => setShowsAll(true)}>
            Show {hidden} more<span className="visually-hidden"> of: {title}</span>
          </Button>
        </div>
      )}
      {hidden === 0 && figures.count > figures.items.length && (
        <p className="dim small">The newest {figures.items.length} of them.</p>
      )}
    </section>
  )
}
