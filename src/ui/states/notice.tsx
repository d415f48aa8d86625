import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import './states.css'

const icons = { good: IconCircleCheck, bad: IconAlertTriangle, plain: IconInfoCircle } as const

/** A message about the request at the place of the person's action. Bad news is an alert. */
export function Notice(props: { tone: keyof typeof icons; title: string; children?: ReactNode }) {
  const Icon = icons[props.tone]
  return (
    <div className={`notice notice-${props.tone}`} {...(props.tone === 'bad' && { role: 'alert' })}>
      <Icon size={20} stroke={1.8} aria-hidden />
      <div className="grow break">
        <strong>{props.title}</strong>
        <div>{props.children}</div>
      </div>
    </div>
  )
}
