import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { ChangedFileItem, RunChanges } from '#api/schemas/runs/changes.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { useRunChanges } from '../../api/queries.ts'
import { Failure } from '../../states/failure.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import './changed-files.css'

/** The number of files that are shown at first, because the list is beside the conversation. */
const initialCount = 8

/** The number of calls that are named for a file. */
const maxCalls = 3

/** The files that differ from the start of the run. */
export function ChangedFiles({ runId }: { runId: string }) {
  const changes = useRunChanges(runId)
  const [isOpen, setOpen] = useState(false)
  const pages = changes.data?.pages ?? []
  const [first] = pages
  const items = pages.flatMap((page) => page.items)
  const visible = isOpen ? items : items.slice(0, initialCount)
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
      {changes.isError && first === undefined && <Failure query={changes} />}
      {first?.total === 0 && <p className="dim small">No known change.</p>}
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
      {first !== undefined && <Unlisted changes={first} />}
    </section>
  )
}

function ChangedFile({ item }: { item: ChangedFileItem }) {
  const { path, from, change, added, removed, requests, calls } = item
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
      <span>
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
      <span className="changed-requests dim">
        {calls.slice(0, maxCalls).map(({ id, runId, tool, turn }) => (
          <Link key={id} to={`/runs/${runId}#call-${id}`}>
            {turn > 0 ? `turn ${turn}: ` : ''}
            <VisibleText text={tool} />
          </Link>
        ))}
        {calls.length > maxCalls && <span>and {calls.length - maxCalls} more</span>}
        {requests.map((number) => (
          <Link key={number} to={`/requests/${number}`}>
            #{number}
          </Link>
        ))}
      </span>
    </li>
  )
}

function Unlisted({ changes: { more, unknown } }: { changes: RunChanges }) {
  const parts = [
    unknown.commands > 0 ? countWords(unknown.commands, 'command') : '',
    unknown.calls > 0 ? `${countWords(unknown.calls, 'call')} of other tools` : '',
  ].filter((part) => part !== '')
  return (
    <>
      {more > 0 && (
        <p className="dim small">{countWords(more, 'more change')} by commands, not listed.</p>
      )}
      {parts.length > 0 && (
        <p className="dim small">
          {parts.join(' and ')} may have changed files that are not listed.
        </p>
      )}
    </>
  )
}
