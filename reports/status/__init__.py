"""Is everything that a study needs at work: web, workers, beat, mail, endpoints, disks, and the jobs that wait."""
