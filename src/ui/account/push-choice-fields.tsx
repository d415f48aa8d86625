import { Checkbox, Switch, TextInput } from '@mantine/core'
import type { NotificationChoice } from '#api/schemas/notifications/notifications.ts'
import { RadioField } from '../states/radio-field.tsx'
import { useNotificationChange } from './use-notification-change.ts'

type Push = NotificationChoice['push']

/**
 * The events that are pushed to the person's devices, and the hours in which nothing is pushed.
 */
export function PushChoiceFields({ choice }: { choice: NotificationChoice }) {
  const { push } = choice
  const save = useNotificationChange(choice)
  const choose = (changed: Partial<Push>): Promise<void> => save({ push: { ...push, ...changed } })
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const usualNight = { from: '22:00', to: '07:00', timeZone }
  return (
    <>
      <RadioField
        legend="Push requests that you may decide"
        name="pushed-requests"
        options={[
          { value: 'all', label: 'All' },
          { value: 'high', label: 'High risk only' },
          { value: 'none', label: 'None' },
        ]}
        value={push.requests}
        onChoose={(requests) => void choose({ requests })}
        disabled={false}
      />
      <Checkbox
        label="Push the end of requests of runs that you started"
        checked={push.ended}
        onChange={(event) => void choose({ ended: event.currentTarget.checked })}
      />
      <Switch
        label="Quiet hours"
        description="Requests that arrive in this time are pushed afterwards if they still wait."
        checked={push.quiet !== null}
        onChange={(event) =>
          void choose({ quiet: event.currentTarget.checked ? usualNight : null })
        }
      />
      {push.quiet !== null && (
        <div className="row">
          <QuietTime
            label="Quiet from"
            value={push.quiet.from}
            choose={(from) => void choose({ quiet: { ...(push.quiet ?? usualNight), from } })}
          />
          <QuietTime
            label="until"
            value={push.quiet.to}
            choose={(to) => void choose({ quiet: { ...(push.quiet ?? usualNight), to } })}
          />
          <span className="dim small">{push.quiet.timeZone}</span>
        </div>
      )}
    </>
  )
}

function QuietTime({
  label,
  value,
  choose,
}: {
  label: string
  value: string
  choose: (value: string) => void
}) {
  return (
    <TextInput
      type="time"
      label={label}
      defaultValue={value}
      onBlur={(event) => {
        const next = event.currentTarget.value
        if (/^\d\d:\d\d$/.test(next) && next !== value) choose(next)
      }}
    />
  )
}
