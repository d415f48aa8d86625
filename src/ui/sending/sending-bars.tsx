import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { announce } from '../states/announce.tsx'
import { focusHeadline } from '../states/lead-to.ts'
import { visibleString } from '../text/visible-string.ts'
import { VisibleText } from '../text/visible-text.tsx'
import { Countdown } from './countdown.tsx'
import {
  dismissDecision,
  onSettled,
  sendAllAtPageEnd,
  sendAllHeld,
  sendDecision,
  takeBack,
  useHeldDecisions,
  type HeldDecision,
} from './held-decisions.ts'
import { keepLost } from './lost-decisions.ts'
import { verbs } from '../words/verbs.ts'
import './sending.css'

/** A bar for each decision that was submitted by key, the newest on top. */
export function SendingBars() {
  const client = useQueryClient()
  const decisions = useHeldDecisions()
  const isHeld = decisions.some(({ stage }) => stage === 'held')
  const newest = decisions.find(({ stage }) => stage === 'held')
  const undo = (key?: string): void => {
    const one = takeBack(key)
    if (one !== null) announce(`Taken back: ${one.act} #${one.number}. Nothing was sent.`)
  }
  useShortcut('takeBack', isHeld ? () => undo() : null)
  useEffect(() => onSettled(() => void client.invalidateQueries()), [client])
  useSendOnLeaving()
  if (decisions.length === 0) return null
  return (
    <section className="sending-bars" aria-label="Decisions being sent">
      {decisions.map((one) => (
        <Bar
          key={one.key}
          decision={one}
          isNewest={one === newest}
          onTakeBack={() => undo(one.key)}
        />
      ))}
    </section>
  )
}

function Bar(props: { decision: HeldDecision; isNewest: boolean; onTakeBack: () => void }) {
  const { decision, isNewest, onTakeBack } = props
  const { stage, key, number, canSendAgain } = decision
  const keys = useAriaKeys('takeBack')
  return (
    <div className="sending-bar" data-stage={stage}>
      <div className="grow">
        <div className="sending-what">
          <strong>
            {decision.act} <Link to={`/requests/${number}`}>#{number}</Link>
          </strong>{' '}
          <span title={visibleString(decision.effect)}>
            <VisibleText text={decision.effect} />
          </span>
        </div>
        <div className="small">
          {stage === 'held' ? (
            <>
              <Countdown sendAtMs={decision.sendAtMs} />. Not recorded yet.
            </>
          ) : stage === 'submitting' ? (
            verbs.submitting
          ) : (
            decision.words
          )}
        </div>
      </div>
      {stage === 'held' && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => leave(onTakeBack)}
          {...(isNewest ? keys : {})}
        >
          Take back{isNewest && <kbd aria-hidden>Z</kbd>}
        </Button>
      )}
      {canSendAgain && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => leave(() => void sendDecision(key))}
        >
          {verbs.sendAgain}
        </Button>
      )}
      {stage === 'refused' && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => leave(() => dismissDecision(key))}
        >
          Dismiss
        </Button>
      )}
    </div>
  )
}

/** Acts by a button that is removed: the headline takes its focus. */
function leave(act: () => void): void {
  act()
  focusHeadline()
}

/**
 * Sends held decisions when the person leaves or hides the browser page, or leaves the dashboard
 * page on which they decided. A phone that is locked hides the page and stops its timers, and
 * `pagehide` may never follow. The inbox and its requests count as one page, because deciding moves
 * from one to the next (dashboard.md, Keyboard).
 */
function useSendOnLeaving(): void {
  const { pathname } = useLocation()
  const page = pathname.startsWith('/requests/') ? '/' : pathname
  const before = useRef(page)
  useEffect(() => {
    if (before.current !== page) sendAllHeld()
    before.current = page
  }, [page])
  useEffect(() => {
    const sendIfHidden = (): void => {
      if (document.visibilityState === 'hidden') sendAllHeld()
    }
    const onPageEnd = (): void => {
      sendAllAtPageEnd()
      keepLost()
    }
    window.addEventListener('pagehide', onPageEnd)
    document.addEventListener('visibilitychange', sendIfHidden)
    return () => {
      window.removeEventListener('pagehide', onPageEnd)
      document.removeEventListener('visibilitychange', sendIfHidden)
    }
  }, [])
}
