import { Checkbox, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { NotificationChoice } from '#api/schemas/notifications/notifications.ts'
import { callApi } from '../api/call-api.ts'
import { noticesState, switchNotices, type NoticesState } from '../notices/notices-setting.ts'
import { useNoticesState } from '../notices/use-notices-state.ts'
import { RadioField } from '../states/radio-field.tsx'
import { Failure } from '../states/failure.tsx'
import { Loading } from '../states/loading.tsx'
import { PushChoiceFields } from './push-choice-fields.tsx'
import { PushDevices } from './push-devices.tsx'
import { notificationsKey, useNotificationChange } from './use-notification-change.ts'

type Email = NotificationChoice['email']

/** The person's notifications outside of the dashboard: by mail, by this browser, and by push. */
export function NotificationsSection() {
  const choice = useQuery({
    queryKey: notificationsKey,
    queryFn: ({ signal }) => callApi('getNotifications', { signal }),
  })
  return (
    <section className="card column" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      {choice.isPending && <Loading what="your notifications" lines={3} />}
      <Failure query={choice} />
      {choice.data !== undefined && <MailChoice choice={choice.data} />}
      <BrowserNotices />
      <PushDevices />
      {choice.data !== undefined && <PushChoiceFields choice={choice.data} />}
    </section>
  )
}

function MailChoice({ choice: settings }: { choice: NotificationChoice }) {
  const choose = useNotificationChange(settings)
  const { email } = settings
  if (!email.available) return <p className="dim small">This service sends no mail.</p>
  const usualMark = (choice: Email['choice']): string =>
    email.usual === choice ? ' (usual here)' : ''
  return (
    <>
      <p className="dim small">
        For requests that you may decide, and for decisions on runs that you started.
      </p>
      <RadioField
        legend={`Mail to ${email.address}`}
        name="mail"
        options={[
          { value: 'atOnce', label: `Each at once${usualMark('atOnce')}` },
          { value: 'digest', label: `A digest ${digestWords(email.digest)}${usualMark('digest')}` },
          { value: 'nothing', label: `Nothing${usualMark('nothing')}` },
        ]}
        value={email.choice}
        onChoose={(choice) => void choose({ choice })}
        disabled={false}
      />
      <Checkbox
        label="Also when colleagues decided a request, or when it ended otherwise"
        checked={email.ended}
        disabled={email.choice === 'nothing'}
        onChange={(event) => void choose({ ended: event.currentTarget.checked })}
      />
    </>
  )
}

function digestWords(digest: Email['digest']): string {
  if (digest === null) return 'now and then'
  if ('at' in digest) return `each day at ${digest.at} (${digest.timeZone})`
  return `every ${digest.everySeconds / 3600} h`
}

const sentences: Record<NoticesState, string> = {
  unsupported: 'This browser shows no notifications.',
  denied: 'This browser blocks the notifications of this site: allow them in its settings first.',
  off: 'When a request that you may decide arrives and no page of Countersign is visible.',
  on: 'When a request that you may decide arrives and no page of Countersign is visible.',
}

function BrowserNotices() {
  const [state, setState] = useNoticesState(noticesState)
  return (
    <Switch
      label="Notifications of this browser"
      description={sentences[state]}
      checked={state === 'on'}
      disabled={state === 'unsupported' || state === 'denied'}
      onChange={(event) => void switchNotices(event.currentTarget.checked).then(setState)}
    />
  )
}
