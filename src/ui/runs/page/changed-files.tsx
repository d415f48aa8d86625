import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ChangedFileItem, RunChanges } from '#api/schemas/runs/changes.ts'
import { countWords } from '#domain/text/counted.ts'
import { useRunChanges } from '../../api/queries.ts'
import { Failure } from '../../states/failure.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import './changed-files.css'

/** So many files are shown at first: the list stands beside the conversation. */
const shownAtFirst = 8

/** The files that are not as they were when the run began. */
export function ChangedFiles({ runId }: { runId: string }) {
  const changes = useRunChanges(runId)
  const [isOpen, setOpen] = useState(false)
  const pages = changes.data?.pages ?? []
  const [first] = pages
  const items = pages.flatMap((page) => page.items)
  const visible = isOpen ? items : items.slice(0, shownAtFirst)
  const more = (first?.total ?? 0) - visible.length
  const showMore = (): void => {
    setOpen(true)
    if (isOpen) void changes.fetchNextPage()
  }
  return (
    <section className="card" aria-labelledby="changes-title">
      <h2 id="changes-title">
        Files changed {first !== undefined && first.total > 0 && <span>({first.total})</span>}
      </h2>
      {changes.isError && <Failure error={changes.error} retry={() => void changes.refetch()} />}
      {first?.total === 0 && <p className="dim small">None that is known.</p>}
      <ul className="changed-files">
        {visible.map((item) => (
          <ChangedFile key={item.path} item={item} />
        ))}
      </ul>
      {more > 0 && (
        <Button variant="default" size="compact-sm" onClick={showMore}>
          Show {isOpen ? 'more' : `${more} more`}
        </Button>
      )}
      {first !== undefined && <Unknown unknown={first.unknown} />}
    </section>
  )
}

function ChangedFile({ item }: { item: ChangedFileItem }) {
  const { path, from, change, added, removed, requests } = item
  return (
    <li className="changed-file">
      <span className={`changed-kind changed-kind-${change}`}>{change}</span>
      <code className="break">
        {from !== undefined && (
          <>
            <VisibleText text={from} /> →{' '}
          </>
        )}
        <VisibleText text={path} />
      </code>
      <span className="changed-lines">
        {added !== null && removed !== null && (
          <>
            <span className="changed-added" aria-label={`${countWords(added, 'line')} added`}>
              +{added}
            </span>{' '}
            <span className="changed-removed" aria-label={`${countWords(removed, 'line')} removed`}>
              −{removed}
            </span>
          </>
        )}
      </span>
      {requests.length > 0 && (
        <span className="changed-requests dim">
          {requests.map((number) => (
            <Link key={number} to={`/requests/${number}`}>
              #{number}
            </Link>
          ))}
        </span>
      )}
    </li>
  )
}

function Unknown({ unknown: { commands, calls } }: Pick<RunChanges, 'unknown'>) {
  const parts = [
    commands > 0 ? countWords(commands, 'command') : '',
    calls > 0 ? `${countWords(calls, 'call')} of other tools` : '',
  ].filter((part) => part !== '')
  if (parts.length === 0) return null
  return (
    <p className="dim small">{parts.join(' and ')} may have changed files that are not listed.</p>
  )
}
