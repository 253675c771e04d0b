import { Component, type ReactNode } from 'react';
import { Problem } from '../ui/problem';

interface Props {
  children: ReactNode;
  /** Shown in place of what failed. */
  instead?: ReactNode;
}

/** Keeps a page that failed from taking the others with it. */
export class ErrorBoundary extends Component<Props, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    if (!this.state.error) return this.props.children;
    return this.props.instead ?? <Problem title="This page failed" error={this.state.error} onRetry={() => window.location.reload()} />;
  }
}
