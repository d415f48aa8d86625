import { Button, Switch } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { errorMessage } from '#domain/error-message.ts'
import { callApi } from '../api/call-api.ts'
import { useMe } from '../api/queries.ts'
import type { NoticesState } from '../notices/notices-setting.ts'
import { useNoticesState } from '../notices/use-notices-state.ts'
import { pushState, turnPushOff, turnPushOn } from '../push/push-setting.ts'
import { announce } from '../states/announce.tsx'
import { Failure } from '../states/failure.tsx'
import { useAct } from '../states/use-act.ts'
import { absoluteTime, Moment } from '../text/time.tsx'
import { verbs } from '../words/verbs.ts'

const sentences: Record<NoticesState, string> = {
  unsupported:
    'This browser cannot receive push notifications. On an iPhone or iPad, add Countersign to the home screen first.',
  denied: 'This browser blocks the notifications of this site: allow them in its settings first.',
  off: 'Also when no page of Countersign is open, until you sign out here.',
  on: 'Also when no page of Countersign is open, until you sign out here.',
}

const queryKey = ['push-subscriptions']

/** A switch for push to this device, and the list of the person's devices. */
export function PushDevices() {
  const { person } = useMe()
  const client = useQueryClient()
  const act = useAct(queryKey)
  const read = useCallback(() => pushState(person.id), [person.id])
  const [state, setState] = useNoticesState(read)
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const devices = useQuery({
    queryKey,
    queryFn: ({ signal }) => callApi('listPushSubscriptions', { signal }),
  })
  const turn = async (on: boolean): Promise<void> => {
    setBusy(true)
    setRefusal(null)
    try {
      setState(await (on ? turnPushOn(person.id) : turnPushOff(person.id)))
      announce('Saved')
    } catch (error) {
      const why = errorMessage(error).replace(/[.]$/, '')
      setRefusal(
        on
          ? `This device could not subscribe: ${why}. Turn the switch on to try again.`
          : `The service still pushes to this device: ${why}. Turn the switch off to try again.`,
      )
    }
    setBusy(false)
    await client.invalidateQueries({ queryKey })
  }
  const remove = (id: string) =>
    act(() => callApi('deletePushSubscription', { body: { id } }), 'Removed')
  const isOn = state === 'on' && (devices.data?.items.some(({ current }) => current) ?? true)
  return (
    <>
      <Switch
        label="Push to this device"
        description={sentences[state]}
        checked={isOn}
        disabled={busy || state === 'unsupported' || state === 'denied'}
        onChange={(event) => void turn(event.currentTarget.checked)}
      />
      {refusal !== null && (
        <p role="alert" className="small break">
          {refusal}
        </p>
      )}
      {isOn && <TestMessage />}
      <Failure query={devices} />
      {devices.data !== undefined && devices.data.items.length > 0 && (
        <ul className="plain-list" aria-label="Devices with push notifications">
          {devices.data.items.map(({ id, device, current, createdAt, endpoint }) => (
            <li key={id} className="account-row">
              <span className="grow break">
                {device}
                {current && <span className="mark mark-good">this session</span>}
                <br />
                <span className="dim small">
                  since <Moment at={createdAt} /> · through {new URL(endpoint).host}
                </span>
              </span>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Stop pushing to ${device}, since ${absoluteTime(createdAt)}`}
                onClick={() => void remove(id)}
              >
                {verbs.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const acceptedWords =
  'The push service took it. If no notification appears, this device holds it back: see its settings for notifications, focus and battery.'

/** A button that has a message sent to this device, and what became of it. */
function TestMessage() {
  const act = useAct(queryKey)
  const [result, setResult] = useState<string | null>(null)
  const test = () =>
    act(async () => {
      setResult('Sending…')
      const { problem } = await callApi('testPushSubscription', { body: {} }).catch(
        (error: Error) => ({ problem: error.message }),
      )
      setResult(problem === null ? acceptedWords : `It was not sent: ${problem}.`)
    })
  return (
    <div>
      <Button size="compact-sm" variant="default" onClick={() => void test()}>
        Send a test message
      </Button>
      <p role="status" className="dim small break push-test">
        {result}
      </p>
    </div>
  )
}
