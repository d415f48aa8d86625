import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useParams } from 'react-router'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { requestQuery } from '../api/queries.ts'
import { backToList, placeInList, useLastList } from './last-list.ts'
import { useHeldDecisions } from '../sending/held-decisions.ts'
import { useShortcut } from '../keyboard/keyboard-provider.tsx'
import { Headline } from '../shell/headline.tsx'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading, LoadingCards } from '../states/loading.tsx'
import { copyText } from '../text/copy-text.ts'
import { SecretsContext, useRequestSecrets } from '../text/secret-chips.tsx'
import { AgentStatement } from './agent-statement.tsx'
import { Comments } from './comments/comments.tsx'
import { useChosen } from './decision/choosing/use-chosen.ts'
import { DecisionPanel } from './decision/decision-panel.tsx'
import { Effect } from '../effect/effect.tsx'
import { useNarrow } from '../effect/settings/diff-settings.ts'
import { resultsInFile } from './editing/results-in-file.ts'
import { Erased } from './erased.tsx'
import { ExecutionResult } from './execution-result.tsx'
import { Alike } from './facts/alike.tsx'
import { Decisions } from './decisions.tsx'
import { NamedFiles } from './facts/named-files.tsx'
import { ProgramCard } from './program-card.tsx'
import { Quorum } from './decision/quorum.tsx'
import { ModeBanner } from '../runs/page/mode-banner.tsx'
import { Notice } from '../states/notice.tsx'
import { Proof } from './proof.tsx'
import { RequestHead } from './request-head.tsx'
import { RequestEffect, RequestSentence } from './request-sentence.tsx'
import { Siblings, TurnsBefore } from './surroundings.tsx'
import { useSeen } from '../effect/seeing/use-seen.ts'
import { useLineNotes } from './comments/line-notes.tsx'
import { Cues } from './card/cues.tsx'
import { WhyAsked } from './card/routing.tsx'
import { Task } from './card/task.tsx'
import './request.css'

const FileEditForm = lazy(() =>
  import('./editing/file-edit-form.tsx').then((module) => ({ default: module.FileEditForm })),
)

/** Loaded where there is no room beside the request. */
const DecisionSheet = lazy(() =>
  import('./decision/decision-sheet.tsx').then((module) => ({ default: module.DecisionSheet })),
)

/** Loaded for the requests that are settled or answered, which few are. */
const SettleForm = lazy(() =>
  import('./decision/answering/settle-form.tsx').then((module) => ({ default: module.SettleForm })),
)
const AnswerForm = lazy(() =>
  import('./decision/answering/answer-form.tsx').then((module) => ({ default: module.AnswerForm })),
)

/** One request, and where it is decided. */
export function RequestPage() {
  const { id = '' } = useParams()
  const request = useQuery(requestQuery(id))
  if (request.data !== undefined) return <Opened key={request.data.id} request={request.data} />
  if (request.isError) {
    return <Failure error={request.error} retry={() => void request.refetch()} />
  }
  return <LoadingCards what="the request" />
}

/**
 * `request` is the newest; what is shown stays the revision that was opened until the person moves
 * on.
 */
function Opened({ request }: { request: RequestDetail }) {
  const navigate = useNavigate()
  const phone = useNarrow()
  const [opened, setOpened] = useState(request)
  const [sheet, setSheet] = useState(false)
  const [isDecided, setDecided] = useState(false)
  const [allVisible, setAllVisible] = useState(false)
  const [region, setRegion] = useState<HTMLElement | null>(null)
  const sameRevision = opened.revision === request.revision && opened.digest === request.digest
  // The newest of everything but the call itself, which only changes when the person reviews it.
  const displayed: RequestDetail = sameRevision ? request : opened
  const secrets = useRequestSecrets(displayed.id, displayed.revision)
  const complete = allVisible && !displayed.presentation.truncated && secrets.allRevealed
  const chosen = useChosen()
  const { fullyViewed, tracker } = useSeen(region, displayed.presentation.digest, complete)
  const notes = useLineNotes(request)
  const { search } = useLocation()
  const decisions = useHeldDecisions().filter(({ stage }) => stage !== 'refused')
  const sent = new Set(decisions.map(({ number }) => number))
  const place = placeInList(useLastList(), request.number, sent)

  const open = (number: number): void => void navigate(`/requests/${number}${search}`)
  const goBack = (): void => void navigate(...backToList(search, request.number))
  const goNext = (): void => {
    if (place.nextToDecide === null) goBack()
    else open(place.nextToDecide)
  }
  const { next, previous, nextToDecide } = place
  const client = useQueryClient()
  useEffect(() => {
    // Read while this one is: deciding leads to it without waiting.
    const soon = nextToDecide ?? next
    if (soon !== null) void client.prefetchQuery(requestQuery(String(soon)))
  }, [client, next, nextToDecide])
  useShortcut('next', next === null ? null : () => open(next))
  useShortcut('previous', previous === null ? null : () => open(previous))
  useShortcut('back', goBack)
  useShortcut('copyLink', () => void copyText(window.location.href, 'Link'))
  useEffect(() => {
    // A request that is decided elsewhere leaves nothing to do in the sheet but to read what
    // happened.
    if (!phone) setSheet(false)
  }, [phone])

  const editsFile =
    chosen.choice === 'edit' &&
    request.state === 'pending' &&
    request.eligibility.canDecide &&
    resultsInFile(displayed)
  useEffect(() => {
    if (editsFile) setSheet(false)
  }, [editsFile])
  const shownRevision = useRef(opened.revision)
  useEffect(() => {
    if (shownRevision.current === opened.revision) return
    shownRevision.current = opened.revision
    // What was edited or reviewed has left the page, and with it the focus.
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [opened.revision])
  const onRevised = (fresh: RequestDetail): void => {
    chosen.setChoice(null)
    setOpened(fresh)
    window.scrollTo({ top: 0 })
    announce(`Revision ${fresh.revision}: it is decided as shown.`)
  }

  const panel =
    request.kind === 'outcome_check' ? (
      <Suspense fallback={null}>
        <SettleForm request={request} onNext={goNext} />
      </Suspense>
    ) : request.kind === 'question' ? (
      <Suspense fallback={null}>
        <AnswerForm request={request} onNext={goNext} />
      </Suspense>
    ) : (
      <DecisionPanel
        request={request}
        opened={displayed}
        chosen={chosen}
        fullyViewed={fullyViewed}
        masked={!secrets.allRevealed}
        onReview={() => {
          setOpened(request)
          window.scrollTo({ top: 0 })
        }}
        onRevised={onRevised}
        onRecorded={() => setDecided(true)}
        onNext={goNext}
      />
    )
  return (
    <div className="request">
      <RequestHead request={request} place={place} />
      <div className="column request-main">
        <SecretsContext value={secrets.others}>
          <Task request={request} />
          <Headline tab={`#${request.number} ${request.effect}`}>
            <RequestEffect request={displayed} />
          </Headline>
          <p className="request-who">
            <RequestSentence request={displayed} />
          </p>
          <Cues
            role="region"
            cues={displayed.cues}
            content={displayed.presentation.content}
            within={region}
          />
        </SecretsContext>
        <ModeBanner
          mode={request.mode}
          startedBy={request.lineage.at(-1)?.startedBy?.name ?? null}
        />
        {request.askedBeforeRestore && !isDecided && (
          <Notice tone="bad" title="It may have been carried out already">
            After this request was opened, the service was restored from an older copy of its
            database. Decisions and executions of the lost time are not known: check before you
            approve.
          </Notice>
        )}
        <ExecutionResult request={request} />
        <SecretsContext value={secrets.others}>
          <Alike request={request} />
        </SecretsContext>
        {editsFile && (
          <Suspense fallback={<Loading what="the editor" lines={6} />}>
            <FileEditForm
              key={displayed.presentation.digest}
              opened={displayed}
              onDone={onRevised}
            />
          </Suspense>
        )}
        {displayed.erased !== null ? (
          <Erased erased={displayed.erased} />
        ) : (
          <SecretsContext value={secrets.counted}>
            <Effect
              key={displayed.presentation.digest}
              request={displayed}
              ownsKeys
              onRegion={setRegion}
              onAllVisible={setAllVisible}
              notes={sameRevision ? notes : undefined}
              tracker={tracker}
            />
          </SecretsContext>
        )}
        <NamedFiles key={`files ${displayed.revision}`} request={displayed} />
        <SecretsContext value={secrets.others}>
          {request.external !== null ? (
            <ProgramCard request={request} />
          ) : (
            displayed.erased === null &&
            displayed.kind !== 'start' && (
              <AgentStatement text={displayed.agentReason}>
                <TurnsBefore request={request} />
              </AgentStatement>
            )
          )}
        </SecretsContext>
        <WhyAsked request={displayed} />
        <Siblings request={request} />
        <Decisions request={request} />
        <Comments request={request} />
        <SecretsContext value={secrets.others}>
          <Proof request={request} displayed={displayed} />
        </SecretsContext>
      </div>
      {phone ? (
        <>
          <div className="decide-bar">
            <Button fullWidth size="md" onClick={() => setSheet(true)}>
              {request.state === 'pending' && request.eligibility.canDecide
                ? 'Decide…'
                : 'See the decision'}
            </Button>
          </div>
          <Suspense fallback={null}>
            <DecisionSheet isOpen={sheet} onClose={() => setSheet(false)}>
              {panel}
              <Quorum request={displayed} />
            </DecisionSheet>
          </Suspense>
        </>
      ) : (
        <aside className="request-side" aria-label="Decision">
          <div className="card">
            {panel}
            <Quorum request={displayed} />
          </div>
        </aside>
      )}
    </div>
  )
}
