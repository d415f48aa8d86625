import { Button } from '@mantine/core'
import { IconMoodConfuzed } from '@tabler/icons-react'
import { Component, type ReactNode } from 'react'
import './states.css'

interface BoundaryProps {
  /** what would be missing, as a sentence begins with it: `This page`, `The last turns` */
  readonly what: string
  readonly children: ReactNode
}

/**
 * Keeps a page that cannot be drawn from taking everything with it: a part of the dashboard that
 * did not load, which is so without a network and after an upgrade, or a defect. Another page is a
 * new attempt: give it as `key`.
 */
export class PageBoundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <div className="state" role="alert">
        <IconMoodConfuzed className="state-icon" size={32} stroke={1.5} aria-hidden />
        <h2>{this.props.what} cannot be shown</h2>
        <p className="dim">
          A part of it did not load, for example because there is no network or the service was
          upgraded. Nothing was changed, and a reason that you typed is kept.
        </p>
        <Button variant="default" onClick={() => window.location.reload()}>
          Load it again
        </Button>
      </div>
    )
  }
}
