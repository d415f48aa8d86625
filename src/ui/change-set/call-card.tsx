import { Button, Radio } from '@mantine/core'
import { IconSquare, IconSquareCheck } from '@tabler/icons-react'
import { memo, useEffect, useRef, useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { againSentence } from '#domain/deciding/alike-words.ts'
import type { BulkItem } from '#api/schemas/requests/decisions.ts'
import { Effect } from '../effect/effect.tsx'
import { useAriaKeys, useKeyboard } from '../keyboard/keyboard-provider.tsx'
import { measureHead } from '../effect/seeing/sticky-heads.ts'
import { useSeen } from '../effect/seeing/use-seen.ts'
import { Cues } from '../deciding/card/cues.tsx'
import { CallComments } from '../deciding/comments/call-comments.tsx'
import { DenialReaders } from '../deciding/comments/commented-request.ts'
import { useLineComments } from '../deciding/comments/use-line-comments.tsx'
import { useSteadyComments } from '../deciding/comments/use-steady-comments.ts'
import { Risk } from '../deciding/facts/risk.tsx'
import { DenialReason } from '../deciding/decision/choosing/denial-reason.tsx'
import { choosePreset } from '../deciding/decision/choosing/choose-preset.ts'
import { UnsentNote } from '../deciding/decision/decision-notes.tsx'
import { useFocusReturn } from '../states/use-focus-return.ts'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import { SecretsContext, useRequestSecrets } from '../text/secret-chips.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { CallResultLine } from './call-result-line.tsx'
import { ChangedNotice } from './changed-notice.tsx'
import { Foldable } from './foldable.tsx'
import { hasChanged, whyAlone, whyClosed, type ChangeEntry } from './change-entries.ts'
import { NearScreen } from './near-screen.tsx'
import type { CallChoice } from './plan-decisions.ts'
import { verbs } from '../words/verbs.ts'

/** The call of an entry, as it was opened. */
export type OpenedCall = NonNullable<ChangeEntry['approval']>

/** The state of one entry on the page. */
export interface CardState {
  /** the call as it was opened */
  readonly openedCall: OpenedCall | null
  readonly choice: CallChoice
  readonly reason: string
  readonly wasViewed: boolean
  /** its effect is not drawn, because it was viewed */
  readonly isFolded: boolean
  /** the result of its decision, and the choice */
  readonly result: { readonly item: BulkItem; readonly choice: CallChoice } | null
}

export interface CardActs {
  readonly onChoose: (key: string, choice: CallChoice) => void
  readonly onReason: (key: string, reason: string) => void
  readonly onSeen: (key: string, seen: boolean) => void
  /** marks it as viewed and folds it, or takes both back */
  readonly onView: (key: string) => void
  /** shows the call with its effect */
  readonly onUnfold: (key: string) => void
  readonly onReview: (key: string) => void
}

interface CallCardProps {
  readonly entry: ChangeEntry
  readonly state: CardState
  readonly acts: CardActs
  readonly busy: boolean
  /** "4, 5", the calls whose presentations assume its effect: no list, which is new each time */
  readonly laterOnes: string
  readonly laterCount: number
  /** its lines are drawn before they are near the screen */
  readonly isDrawnAtOnce: boolean
}

/** One call of the turn: its effect, why it needs an approval, and the choice. */
export const CallCard = memo(function CallCard(props: CallCardProps) {
  const { entry, state, acts } = props
  const viewedKeys = useAriaKeys('viewed')
  const titleId = `title-${entry.key}`
  return (
    <article
      id={`call-${entry.key}`}
      className="card column change-call"
      tabIndex={-1}
      aria-labelledby={titleId}
    >
      <div ref={measureHead} className="row spread change-call-head">
        <h2 id={titleId} className="grow break">
          <span className="dim">{entry.place}.</span> <VisibleText text={entry.title} />
        </h2>
        {entry.approval !== null && (
          <Button
            size="compact-sm"
            variant={state.wasViewed ? 'light' : 'subtle'}
            color="gray"
            aria-pressed={state.wasViewed}
            leftSection={
              state.wasViewed ? (
                <IconSquareCheck size={14} aria-hidden />
              ) : (
                <IconSquare size={14} aria-hidden />
              )
            }
            onClick={() => acts.onView(entry.key)}
            {...viewedKeys}
          >
            Viewed
          </Button>
        )}
      </div>
      {state.openedCall === null ? (
        <p className="dim small">{reasonWithoutApproval(entry)}</p>
      ) : (
        <CallWithRequest {...props} card={state.openedCall} />
      )}
    </article>
  )
})

function reasonWithoutApproval({ tool, verdict }: ChangeEntry): ReactNode {
  const words =
    verdict === 'preApproved'
      ? 'Needs no approval: policy pre-approves it.'
      : verdict === 'blocked'
        ? 'Blocked by policy: it is not carried out.'
        : verdict === 'error'
          ? 'No valid call: it is not carried out.'
          : 'Not judged yet.'
  return (
    <>
      <code>
        <VisibleText text={tool} />
      </code>{' '}
      {words}
    </>
  )
}

function CallWithRequest(props: CallCardProps & { card: OpenedCall }) {
  const { entry, state, acts, card, busy } = props
  const { request, presentation } = card
  const { key } = entry
  const { onSeen } = acts
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const [allVisible, setAllVisible] = useState(false)
  const isPhone = useMedia(phoneUntil)
  const [line, setLine] = useState<HTMLElement | null>(null)
  const secrets = useRequestSecrets(request.id, request.revision)
  const complete = allVisible && !presentation.truncated && secrets.allRevealed
  const { fullyViewed: seen, tracker } = useSeen(region, presentation.digest, complete)
  useEffect(() => onSeen(key, seen), [onSeen, key, seen])
  const newest = entry.approval?.request ?? request
  const changed = hasChanged(request, newest)
  const comments = useSteadyComments(newest.comments)
  const lineComments = useLineComments(
    { ...newest, comments: comments.visible },
    !changed,
    request.revision,
  )
  const closed = whyClosed(newest)
  const place = useFocusReturn<HTMLDivElement>(closed === null, busy)
  const again = againSentence(request.alike.again)
  return (
    <>
      <CallFacts request={request} claim={newest.claim} onLine={setLine} />
      <SecretsContext value={secrets.others}>
        <Cues
          role="group"
          cues={request.cues}
          presentation={presentation}
          // Without its lines there is nothing to lead to.
          within={state.isFolded ? null : region}
        />
      </SecretsContext>
      {again !== null && closed === null && <p className="obstacle">{again}.</p>}
      {lineComments.lost}
      <Foldable
        isFolded={state.isFolded}
        lines={presentation.totalLines}
        onUnfold={() => acts.onUnfold(key)}
      >
        <NearScreen isDrawnAtOnce={props.isDrawnAtOnce} lines={presentation.totalLines}>
          <SecretsContext value={secrets.registry}>
            <Effect
              key={presentation.digest}
              request={{ ...request, presentation }}
              ownsKeys={false}
              onRegion={setRegion}
              onAllVisible={setAllVisible}
              lineComments={lineComments}
              tracker={tracker}
            />
          </SecretsContext>
        </NearScreen>
      </Foldable>
      <CallComments
        request={{ ...newest, presentation }}
        comments={comments}
        line={isPhone ? null : line}
      />
      {state.result !== null && (
        <div role="status">
          <CallResultLine item={state.result.item} choice={state.result.choice} request={newest} />
        </div>
      )}
      {changed && closed === null && (
        <ChangedNotice
          newest={newest}
          revision={request.revision}
          onReview={() => acts.onReview(key)}
        />
      )}
      <div ref={place} tabIndex={-1} className="column">
        {closed !== null ? (
          state.result?.item.status !== 200 && (
            <>
              <p className="small">
                {closed}. <Link to={`/requests/${request.number}`}>Open the request</Link>
              </p>
              {state.reason !== '' && <UnsentNote text={state.reason} />}
            </>
          )
        ) : (
          <Choices
            entry={entry}
            state={state}
            acts={acts}
            newest={newest}
            busy={busy}
            alone={whyAlone(request)}
            unseen={!seen}
          />
        )}
      </div>
      {state.choice === 'deny' && closed === null && (
        <LaterCalls places={props.laterOnes} count={props.laterCount} />
      )}
    </>
  )
}

function CallFacts({
  request,
  claim,
  onLine,
}: {
  request: OpenedCall['request']
  claim: OpenedCall['request']['claim']
  onLine: (line: HTMLElement | null) => void
}) {
  return (
    <div ref={onLine} className="row small change-call-facts">
      <Risk risk={request.risk} />
      <Link to={`/requests/${request.number}`}>#{request.number}</Link>
      <span className="dim">
        <VisibleText text={request.rule.text} />
      </span>
      <span className="dim">needs {request.quorum.text}</span>
      {claim !== null && <span className="dim">{claim.person.name} is on it</span>}
      {request.assumes !== null && (
        <span className="dim">shown as if call {request.assumes} had been carried out</span>
      )}
    </div>
  )
}

/** The calls whose presentations assume the effect of a call that is denied. */
function LaterCalls({ places, count }: { places: string; count: number }) {
  if (count === 0) return null
  const isOne = count === 1
  return (
    <p className="dim small">
      {isOne ? 'Call' : 'Calls'} {places} of this turn {isOne ? 'is' : 'are'} shown as if this had
      been carried out: without it, {isOne ? 'it asks' : 'they ask'} again.
    </p>
  )
}

function Choices(props: {
  entry: ChangeEntry
  state: CardState
  acts: CardActs
  newest: OpenedCall['request']
  busy: boolean
  /** why it cannot be approved together with others */
  alone: string | null
  unseen: boolean
}) {
  const { entry, state, acts, busy, alone, unseen } = props
  const { key } = entry
  const { singleKeys } = useKeyboard()
  const form = useRef<HTMLDivElement>(null)
  const setReason = (reason: string): void => acts.onReason(key, reason)
  const number = entry.approval?.request.number
  const approveKeys = useAriaKeys('approve')
  const denyKeys = useAriaKeys('deny')
  const options = [
    { value: 'approve', label: verbs.approve, extra: approveKeys },
    { value: 'deny', label: verbs.deny, extra: denyKeys },
    { value: 'leave', label: verbs.leave, extra: {} },
  ] as const
  return (
    <div ref={form} className="column">
      <div
        role="radiogroup"
        aria-label={`Decision on call ${entry.place}, #${number}`}
        className="change-choices"
      >
        {options.map(({ value, label, extra }) => (
          <Radio
            key={value}
            className="choice"
            name={`decision-${key}`}
            value={value}
            label={label}
            checked={state.choice === value}
            disabled={busy || (value === 'approve' && alone !== null)}
            onKeyDown={(event) => {
              const isPlain = singleKeys && !event.ctrlKey && !event.metaKey && !event.altKey
              if (!isPlain || state.choice !== 'deny') return
              const digit = Number(event.key)
              if (choosePreset(digit, [state.reason, setReason], form.current)) {
                event.preventDefault()
              }
            }}
            onChange={() => acts.onChoose(key, value)}
            {...extra}
          />
        ))}
      </div>
      {alone !== null && (
        <p className="small">
          {alone}. <Link to={`/requests/${number}`}>Decide #{number} by itself</Link>
        </p>
      )}
      {state.choice === 'approve' && unseen && (
        <p className="obstacle" role="status">
          It counts after all of it was on the screen
          {entry.approval?.presentation.truncated === true
            ? ', and a part of it is not shown here: decide it on its own page.'
            : '.'}
        </p>
      )}
      {state.choice === 'deny' && (
        <DenialReason
          description={<DenialReaders request={props.newest} />}
          required={false}
          minRows={1}
          disabled={busy}
          value={state.reason}
          onChange={setReason}
        />
      )}
    </div>
  )
}
