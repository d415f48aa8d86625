import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { useAriaKeys, useShortcut } from '../keyboard/keyboard-provider.tsx'
import { announce } from '../states/announce.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { Countdown } from './countdown.tsx'
import {
  dismissDecision,
  onSettled,
  sendDecision,
  takeBack,
  useHeldDecisions,
  type HeldDecision,
} from './held-decisions.ts'
import { useSendOnLeaving } from './use-send-on-leaving.ts'
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
  const { stage, key, number, unanswered } = decision
  const keys = useAriaKeys('takeBack')
  return (
    <div className="sending-bar" data-stage={stage}>
      <div className="grow">
        <div className="sending-what">
          <strong>
            {decision.act} <Link to={`/requests/${number}`}>#{number}</Link>
          </strong>{' '}
          <VisibleText text={decision.effect} />
        </div>
        <div className="small">
          {stage === 'held' ? (
            <>
              <Countdown sendAtMs={decision.sendAtMs} />. Not recorded yet.
            </>
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
