import { IconAlertTriangle, IconCircle, IconCircleFilled } from '@tabler/icons-react'
import type { RiskName } from '#api/schemas/common.ts'
import './risk.css'

const faces = {
  high: { Icon: IconAlertTriangle, label: 'High' },
  medium: { Icon: IconCircleFilled, label: 'Medium' },
  low: { Icon: IconCircle, label: 'Low' },
} as const

/** A risk as icon, word and colour, so that none of them is needed alone. */
export function Risk({ risk }: { risk: RiskName }) {
  const { Icon, label } = faces[risk]
  return (
    <span className={`risk risk-${risk}`}>
      <Icon size={risk === 'high' ? 15 : 11} stroke={2.2} aria-hidden />
      {label}
      <span className="visually-hidden"> risk</span>
    </span>
  )
}
