/** English: events to the broker, and undelivered ones. */
export const EN_DELIVERY = {
  'delivery.tab': 'Delivery',
  'delivery.sub':
    'Events on their way to the event broker, and events that could not be delivered.',
  'delivery.broker': 'Event broker',
  'delivery.broker.local': 'none: events stay in Holdfast',
  'delivery.setUp': 'Set up an event broker',
  'delivery.broker.connecting': 'connecting',
  'delivery.broker.connected': 'connected',
  'delivery.broker.down': 'down',
  'delivery.head.local': 'No event broker is set up',
  'delivery.head.localAbout': 'Events go to subscribers inside Holdfast and to the audit log.',
  'delivery.topics': 'What Holdfast publishes',
  'delivery.topics.about':
    'Each event is sent once it is on disk, in order, with an id that stays the same. Without a broker it stays in Holdfast.',
  'delivery.topic.turn.accepted': 'A prompt was accepted and is on disk',
  'delivery.topic.turn.completed': 'A turn completed, failed, or was canceled or discarded',
  'delivery.topic.turn.held': 'A turn needs your review or is parked',
  'delivery.topic.outage.declared': 'A provider went down, or is back',
  'delivery.topic.started': 'Holdfast started, and why it had stopped',
  'delivery.head.connecting': 'Connecting to the event broker. Events are queued in order.',
  'delivery.head.connected': 'The event broker is up.',
  'delivery.head.draining':
    '{count, plural, one {The event broker is back: sending # event.} other {The event broker is back: sending # events in order.}}',
  'delivery.head.down':
    '{count, plural, =0 {The event broker is down. New events are queued.} one {The event broker is down. # event is queued.} other {The event broker is down. # events are queued in order.}}',
  'delivery.head.downAbout':
    'Holdfast reconnects automatically and then sends the queued events in order.',
  'delivery.settings': 'Delivery settings',
  'delivery.since': 'since {time}',
  'delivery.server': 'Server',
  'delivery.depth': 'Queued',
  'delivery.depthText': '{count} of {text}, {what}',
  'delivery.full': 'Queue usage',
  'delivery.oldest': 'Oldest',
  'delivery.slowdown': 'Publisher slowdown',
  'delivery.slowdown.none': 'none',
  'delivery.slowdown.by': '{count} ms per event',
  'delivery.counts': 'Since start',
  'delivery.countsLocal': '{count} published',
  'delivery.countsText': '{count} published, {text} acknowledged by the broker',
  'delivery.shed':
    '{count, plural, one {The queue was full: # event was dropped for a newer one.} other {The queue was full: # events were dropped for newer ones.}}',
  'delivery.shed.kept':
    '{count, plural, =0 {None is still listed below.} one {# is listed below.} other {# are listed below.}}',
  'delivery.shed.summarised':
    '{count, plural, one {# more is no longer listed individually.} other {# more are no longer listed individually.}}',
  'delivery.refused':
    '{count, plural, one {# event couldn’t be saved since start; its publisher got an error.} other {# events couldn’t be saved since start; their publishers got an error.}}',
  'delivery.dead': 'Undelivered events',
  'delivery.dead.none': 'No undelivered events.',
  'delivery.dead.noneTopic': 'No undelivered event has this topic.',
  'delivery.topic': 'Topic',
  'delivery.topic.all': 'All topics',
  'delivery.replayAll': '{count, plural, one {Send again} other {Send all # again}}',
  'delivery.replayTopic':
    '{count, plural, one {Send # of {name} again} other {Send # of {name} again}}',
  'delivery.replay': 'Send again',
  'delivery.replayOf': 'Send again: {id}',
  'delivery.purge': 'Delete…',
  'delivery.purgeOf': 'Delete: {id}',
  'delivery.purgeAll': 'Delete all…',
  'delivery.purgeTopic': 'Delete all of {name}…',
  'delivery.purge.title':
    '{count, plural, one {Permanently delete this event?} other {Permanently delete # events?}}',
  'delivery.purge.about':
    '{count, plural, one {It was never delivered and can’t be sent after this.} other {They were never delivered and can’t be sent after this.}} This can’t be undone.',
  'delivery.purge.confirm': '{count, plural, one {Delete event} other {Delete # events}}',
  'delivery.said.replayed':
    '{count, plural, =0 {Nothing was sent again.} one {Sending # event again.} other {Sending # events again, in order.}}',
  'delivery.said.purged':
    '{count, plural, =0 {Nothing was deleted.} one {# event was deleted.} other {# events were deleted.}}',
  'delivery.more': 'Show more',
  'delivery.reason.refused': 'rejected by the broker',
  'delivery.reason.shed': 'dropped: the queue was full',
  'delivery.reason.unreadable': 'unreadable on disk',
  'delivery.reason.too_large': 'too large for the broker',
  'delivery.attempts': '{count, plural, =0 {no attempts} one {# attempt} other {# attempts}}',
  'delivery.history': 'Attempts',
  'delivery.payload': 'Start of the payload',
  'delivery.letter': 'Event {id}',
} as const;
