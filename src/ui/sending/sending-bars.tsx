import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { announce } from '../states/announce.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import {
  dismissDecision,
  onSettled,
  sendAllHeld,
  sendDecision,
  takeBack,
  useHeldDecisions,
  type HeldDecision,
} from './held-decisions.ts'
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
  useEffect(() => {
    window.addEventListener('pagehide', sendAllHeld)
    return () => window.removeEventListener('pagehide', sendAllHeld)
  }, [])
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
  const { stage, key, number, unanswered } = decision
  const keys = useAriaKeys('takeBack')
  return (
    <div className="sending-bar" data-stage={stage}>
      <div className="grow">
        <strong>
          {decision.act} <Link to={`/requests/${number}`}>#{number}</Link>
        </strong>{' '}
        <VisibleText text={decision.effect} />
        <div className="small">
          {stage === 'held' ? (
            <Countdown sendAtMs={decision.sendAtMs} />
          ) : stage === 'submitting' ? (
            'Submitting…'
          ) : (
            decision.words
          )}
        </div>
      </div>
      {stage === 'held' && (
        <Button
          size="compact-sm"
          variant="default"
          onClick={onTakeBack}
          {...(isNewest ? keys : {})}
        >
          Take back{isNewest && <kbd aria-hidden>Z</kbd>}
        </Button>
      )}
      {unanswered && (
        <Button size="compact-sm" variant="default" onClick={() => void sendDecision(key)}>
          Send again
        </Button>
      )}
      {stage === 'refused' && (
        <Button size="compact-sm" variant="default" onClick={() => dismissDecision(key)}>
          Dismiss
        </Button>
      )}
    </div>
  )
}

/** It is announced once, when it begins; who reads the page by ear is not told every second. */
function Countdown({ sendAtMs }: { sendAtMs: number }) {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((sendAtMs - nowMs) / 1_000))
  return <>Sending in {seconds} s. Not recorded yet.</>
}
