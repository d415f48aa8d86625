import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { ApiKeyView } from '#api/schemas/access/keys.ts'
import { callApi } from '../api/call-api.ts'
import { everyPage } from '../api/every-page.ts'
import { useAct, useOneAtATime } from '../states/use-act.ts'
import { useMe } from '../api/queries.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { announce } from '../states/announce.tsx'
import { Command } from '../states/command.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { absoluteTime, Time, useNowMs } from '../text/time.tsx'
import { visibleString } from '../text/visible-string.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { CreateKey } from './create-key.tsx'
import { KeyProposals } from './key-proposals.tsx'
import { verbs } from '../words/verbs.ts'

/** The person's API keys. Programs act with them for the person, and cannot decide requests. */
export function KeysSection() {
  const { person } = useMe()
  const change = useAct(['keys'])
  const [newKey, setNewKey] = useState<string | null>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const keys = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => everyPage((page) => callApi('listKeys', { query: page, signal })),
  })
  const ownKeys = keys.data?.items.filter((key) => key.owner.id === person.id) ?? []
  const act = (work: () => Promise<object>, message: string): Promise<boolean> =>
    change(async () => {
      const answer = await work()
      if ('key' in answer && typeof answer.key === 'string') setNewKey(answer.key)
    }, message)
  return (
    <section className="card column" aria-labelledby="keys-title">
      <h2 id="keys-title" ref={title} tabIndex={-1}>
        API keys
      </h2>
      <p className="dim small">Programs that act for you. A key never decides.</p>
      {keys.isPending && <Loading what="your keys" lines={2} />}
      <Failure query={keys} />
      <ul className="plain-list">
        {ownKeys.map((key) => (
          <KeyRow key={key.id} apiKey={key} act={act} onRevoked={() => title.current?.focus()} />
        ))}
      </ul>
      <KeyProposals act={act} />
      {newKey !== null && (
        <div className="column" role="status">
          <p>Copy the key now: it is shown only once.</p>
          <Command text={newKey} />
        </div>
      )}
      <CreateKey act={act} />
    </section>
  )
}

function KeyRow({
  apiKey: key,
  act,
  onRevoked,
}: {
  apiKey: ApiKeyView
  act: (work: () => Promise<object>, message: string) => Promise<boolean>
  /** called before the buttons of the row, which have the focus, are removed */
  onRevoked: () => void
}) {
  const rotate = useOneAtATime(() =>
    act(
      () => callApi('rotateKey', { params: { id: key.id } }),
      'The key was rotated; the previous secret is valid for another day',
    ),
  )
  const revoke = async (): Promise<void> => {
    await callApi('revokeKey', { params: { id: key.id } })
    announce('The key was revoked')
    onRevoked()
  }
  const now = useNowMs()
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) <= now
  const hasEnded = key.revokedAt !== null || isOver
  return (
    <li className="account-row">
      <span className="grow break">
        <VisibleText text={key.name} /> <code className="small">{key.id}</code>
        {hasEnded && <span className="mark">{isOver ? 'expired' : 'revoked'}</span>}
        <br />
        <span className="dim small">
          {key.scopes.join(', ')} · created <Time at={key.createdAt} /> ·{' '}
          {key.lastUsedAt === null ? (
            'never used'
          ) : (
            <>
              last used <Time at={key.lastUsedAt} />
            </>
          )}
          {key.expiresAt !== null && !hasEnded && (
            <>
              {' '}
              · expires <Time at={key.expiresAt} />
            </>
          )}
          {key.proposedBy !== null && (
            <>
              {' '}
              · proposed by <VisibleText text={key.proposedBy.name} />
            </>
          )}
          {key.previousUntil !== null && Date.parse(key.previousUntil) > now && !hasEnded && (
            <>
              {' '}
              · the previous secret expires <Time at={key.previousUntil} />
            </>
          )}
        </span>
      </span>
      {!hasEnded && (
        <>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Rotate ${key.name}, created ${absoluteTime(key.createdAt)}`}
            onClick={({ detail: clicks }) => {
              // The second click of a double click would end the secret that the program has.
              if (clicks < 2) void rotate()
            }}
          >
            Rotate
          </Button>
          <ConfirmButton
            label={verbs.revoke}
            row={`${key.name}, created ${absoluteTime(key.createdAt)}`}
            confirm="Revoke for good"
            cancelLabel={verbs.cancel}
            reason={null}
            act={revoke}
            card={{
              title: `Revoke ${visibleString(key.name)}?`,
              text: 'The programs that use it are refused at once. A revoked key does not come back.',
            }}
          />
        </>
      )}
    </li>
  )
}
